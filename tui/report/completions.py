"""`toklane completions`: what a shell offers at the tab key, from the tables of commands and options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import Template
from typing import TextIO

from tui.engines.registry import names as engines
from tui.settings.flags import COMMANDS
from tui.settings.manual import Entry, entries

FILE = "FILE"
_HARMLESS = re.compile(r"[A-Za-z0-9_.:-]+")
Entries = Mapping[str, Sequence[Entry]]
"""What each command takes; "" is the monitor."""

_BASH = Template(r"""# toklane's completions for bash: eval "$$(toklane completions bash)"
_toklane() {
  local current=$${COMP_WORDS[COMP_CWORD]} before=$${COMP_WORDS[COMP_CWORD-1]} words="" files="" IFS=$$' \t\n'
  if [[ $$current == "=" ]]; then current=""
  elif [[ $$before == "=" ]]; then before=$${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $$before in
$values
    *)
      case $${COMP_WORDS[1]} in
$commands
      esac
      if [[ $$COMP_CWORD -eq 1 ]]; then words="$first $$words"; fi ;;
  esac
  COMPREPLY=($$(compgen -W "$$words" -- "$$current"))
  if [[ -n $$files && $$current != -* ]]; then
    IFS=$$'\n'
    COMPREPLY+=($$(compgen -f -- "$$current"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _toklane toklane
""")
_ZSH = Template(r"""#compdef toklane
# toklane's completions for zsh: eval "$$(toklane completions zsh)" after compinit
_toklane() {
  local -a commands
  commands=(
$first
  )
  if (( CURRENT == 2 )) && [[ $$words[2] != -* ]]; then
    _describe command commands
    return
  fi
  case $$words[2] in
$commands
  esac
}
if [[ $${funcstack[1]} == _toklane ]]; then
  _toklane "$$@"
else
  compdef _toklane toklane
fi
""")
_FISH = Template(r"""# toklane's completions for fish: toklane completions fish | source
function __toklane_in
  set -l typed (commandline -opc)
  set -l command ''
  if set -q typed[2]; and contains -- $$typed[2] $first
    set command $$typed[2]
  end
  test "$$command" = "$$argv[1]"
end
function __toklane_first
  test (count (commandline -opc)) -eq 1
end
complete -c toklane -f
$commands
""")


def tell(shell: str, theme_names: Sequence[str], out: TextIO) -> int:
    """Write the script for a shell; the exit status."""
    known = {"--theme": tuple(theme_names), "--engine": engines()}
    told = {command: [_harmless(entry, known) for entry in entries(command)] for command in ("", *COMMANDS)}
    out.write({"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](told))
    return 0


def _harmless(entry: Entry, known: Mapping[str, tuple[str, ...]]) -> Entry:
    """The entry with what can be offered after its flag or as its word, if no shell can misread it."""
    offered = known.get(entry.flag, entry.such_as)
    return replace(entry, such_as=tuple(value for value in offered if _HARMLESS.fullmatch(value)))


def _flags(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.flag]


def _words(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if not entry.flag]


def _bash(told: Entries) -> str:
    known = {entry.flag: entry for each in told.values() for entry in _flags(each) if entry.takes}
    after = []
    for flag, entry in known.items():
        if entry.takes == FILE:
            after.append(f"    {flag}) files=1 ;;")
        else:
            after.append(f'    {flag}) words="{" ".join(entry.such_as)}" ;;')
    rows = []
    for command, each in told.items():
        words = [entry.flag for entry in _flags(each)]
        words += [value for entry in _words(each) for value in entry.such_as]
        files = " files=1" if any(entry.takes == FILE for entry in _words(each)) else ""
        rows.append((command, f'        {command or "*"}) words="{" ".join(words)}"{files} ;;'))
    rows.sort(key=lambda row: not row[0])  # the pattern for everything else comes last
    return _BASH.substitute(
        values="\n".join(after), commands="\n".join(row for _, row in rows), first=" ".join(COMMANDS)
    )


def _zsh(told: Entries) -> str:
    rows = []
    for command, each in sorted(told.items(), key=lambda item: not item[0]):
        given = [f"      {_quoted(_zsh_flag(entry))}" for entry in _flags(each)]
        given += [f"      {_quoted('2:' + _zsh_value(entry))}" for entry in _words(each)]
        if command:
            given.append("      '1: :'")
        rows.append(f"    {command or '*'}) _arguments \\\n" + " \\\n".join(given) + " ;;")
    named = [name + ":" + what.replace(":", r"\:") for name, what in COMMANDS.items()]
    first = [f"    {_quoted(each)}" for each in named]
    return _ZSH.substitute(commands="\n".join(rows), first="\n".join(first))


def _zsh_flag(entry: Entry) -> str:
    does = "".join("\\" + letter if letter in "[]:\\" else letter for letter in entry.does)
    return f"{entry.flag}=[{does}]:{_zsh_value(entry)}" if entry.takes else f"{entry.flag}[{does}]"


def _zsh_value(entry: Entry) -> str:
    if entry.takes == FILE:
        return f"{entry.takes}:_files"
    offered = " ".join(value.replace(":", "\\:") for value in entry.such_as)
    return f"{entry.takes}:({offered})" if offered else f"{entry.takes}: "


def _fish(told: Entries) -> str:
    lines = [f"complete -c toklane -n __toklane_first -a {name} -d {_quoted(what)}"
             for name, what in COMMANDS.items()]  # fmt: skip
    for command, each in told.items():
        when = f"complete -c toklane -n '__toklane_in {command}'" if command else (
            'complete -c toklane -n "__toklane_in \'\'"')  # fmt: skip
        for entry in _flags(each):
            flag = f"{when} -l {entry.flag.removeprefix('--')} -d {_quoted(entry.does)}"
            lines.append(flag + _fish_value(entry))
        for entry in _words(each):
            lines.append(when + (" -F" if entry.takes == FILE else _fish_value(entry).replace(" -x", "")))
    return _FISH.substitute(commands="\n".join(lines), first=" ".join(COMMANDS))


def _fish_value(entry: Entry) -> str:
    if not entry.takes:
        return ""
    if entry.takes == FILE:
        return " -r -F"
    offered = " ".join(entry.such_as)
    return f" -x -a {_quoted(offered)}" if offered else " -x"


def _quoted(text: str) -> str:
    """In single quotes, as each of the three shells reads them."""
    return "'" + text.replace("'", "'\\''") + "'"
