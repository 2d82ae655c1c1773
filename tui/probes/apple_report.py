"""The two channels of Apple's IOReport library that matter here, through ctypes and without root.

The library is private: anything unexpected raises Unreported, and the panel does without it. Rules kept
here: types of all arguments are declared (pointers would be cut to 32 bits), everything that a Copy or
Create function returned is released, and all values are taken before a difference is released.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from typing import Any

from tui.probes.apple_channels import ENERGY, GPU_ENERGY, GPU_STATES, STATES, Item

_FOUNDATION = "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation"
_REPORT = "/usr/lib/libIOReport.dylib"
_UTF8 = 0x08000100
_Pointer = c_void_p
_SIGNATURES: dict[str, tuple[list[Any], Any]] = {
    "CFStringCreateWithCString": ([_Pointer, c_char_p, c_uint32], _Pointer),
    "CFStringGetCString": ([_Pointer, c_char_p, c_int64, c_uint32], ctypes.c_bool),
    "CFDictionaryGetValue": ([_Pointer, _Pointer], _Pointer),
    "CFDictionaryCreateMutableCopy": ([_Pointer, c_int64, _Pointer], _Pointer),
    "CFArrayGetCount": ([_Pointer], c_int64),
    "CFArrayGetValueAtIndex": ([_Pointer, c_int64], _Pointer),
    "CFRelease": ([_Pointer], None),
    "IOReportCopyChannelsInGroup": ([_Pointer, _Pointer, c_uint64, c_uint64, c_uint64], _Pointer),
    "IOReportMergeChannels": ([_Pointer, _Pointer, _Pointer], None),
    "IOReportCreateSubscription": ([_Pointer, _Pointer, POINTER(_Pointer), c_uint64, _Pointer], _Pointer),
    "IOReportCreateSamples": ([_Pointer, _Pointer, _Pointer], _Pointer),
    "IOReportCreateSamplesDelta": ([_Pointer, _Pointer, _Pointer], _Pointer),
    "IOReportChannelGetGroup": ([_Pointer], _Pointer),
    "IOReportChannelGetChannelName": ([_Pointer], _Pointer),
    "IOReportChannelGetUnitLabel": ([_Pointer], _Pointer),
    "IOReportSimpleGetIntegerValue": ([_Pointer, c_int32], c_int64),
    "IOReportStateGetCount": ([_Pointer], c_int32),
    "IOReportStateGetNameForIndex": ([_Pointer, c_int32], _Pointer),
    "IOReportStateGetResidency": ([_Pointer, c_int32], c_int64),
}


class Unreported(Exception):
    """The library is not there, or does not do what it is known to do."""


class Reports:
    """A subscription. `items` gives what grew since the call before."""

    def __init__(self) -> None:
        """Raises Unreported."""
        try:
            libraries = ctypes.CDLL(_FOUNDATION), ctypes.CDLL(_REPORT)
            self._call = {name: _declared(libraries, name) for name in _SIGNATURES}
        except (OSError, AttributeError) as error:
            raise Unreported(str(error)) from error
        self._key = self._string("IOReportChannels")
        channels = self._channels()
        subscribed = _Pointer()
        self._subscription = self._call["IOReportCreateSubscription"](
            None, channels, byref(subscribed), 0, None
        )
        if not self._subscription or not subscribed.value:
            raise Unreported("no subscription")
        self._subscribed = subscribed
        self._before = self._sample()

    def items(self) -> list[Item]:
        """The growth since the call before. Raises Unreported."""
        now = self._sample()
        delta = self._call["IOReportCreateSamplesDelta"](self._before, now, None)
        self._release(self._before)
        self._before = now
        if not delta:
            raise Unreported("no difference")
        try:
            return self._items(delta)
        finally:
            self._release(delta)

    def _items(self, delta: int) -> list[Item]:
        array = self._call["CFDictionaryGetValue"](delta, self._key)
        count = self._call["CFArrayGetCount"](array) if array else 0
        entries = [self._call["CFArrayGetValueAtIndex"](array, i) for i in range(count)]
        return [item for entry in entries if (item := self._item(entry))]

    def _item(self, entry: int) -> Item | None:
        group = self._text(self._call["IOReportChannelGetGroup"](entry))
        channel = self._text(self._call["IOReportChannelGetChannelName"](entry))
        unit = self._text(self._call["IOReportChannelGetUnitLabel"](entry))
        if (group, channel) == (ENERGY, GPU_ENERGY):
            return Item(group, channel, unit, value=self._call["IOReportSimpleGetIntegerValue"](entry, 0))
        if (group, channel) == (STATES[0], GPU_STATES):
            count = self._call["IOReportStateGetCount"](entry)
            states = tuple(self._state(entry, index) for index in range(count))
            return Item(group, channel, unit, states=states)
        return None

    def _state(self, entry: int, index: int) -> tuple[str, int]:
        name = self._text(self._call["IOReportStateGetNameForIndex"](entry, index))
        return name, self._call["IOReportStateGetResidency"](entry, index)

    def _channels(self) -> int:
        """The channels of both groups in one dictionary that can be subscribed to."""
        energy = self._group(ENERGY, None)
        states = self._group(*STATES)
        self._call["IOReportMergeChannels"](energy, states, None)
        channels = self._call["CFDictionaryCreateMutableCopy"](None, 0, energy)
        self._release(energy)
        self._release(states)
        if not channels:
            raise Unreported("no channels")
        return int(channels)

    def _group(self, group: str, subgroup: str | None) -> int:
        names = [self._string(group), self._string(subgroup) if subgroup else None]
        found = self._call["IOReportCopyChannelsInGroup"](*names, 0, 0, 0)
        for name in names:
            self._release(name)
        if not found:
            raise Unreported(f"no channels in {group}")
        return int(found)

    def _sample(self) -> int:
        sample = self._call["IOReportCreateSamples"](self._subscription, self._subscribed, None)
        if not sample:
            raise Unreported("no sample")
        return int(sample)

    def _string(self, text: str) -> int:
        return int(self._call["CFStringCreateWithCString"](None, text.encode(), _UTF8))

    def _text(self, string: int | None) -> str:
        if not string:
            return ""
        buffer = ctypes.create_string_buffer(256)
        fits = self._call["CFStringGetCString"](string, buffer, len(buffer), _UTF8)
        return buffer.value.decode(errors="replace") if fits else ""

    def _release(self, thing: int | None) -> None:
        if thing:
            self._call["CFRelease"](thing)


def _declared(libraries: tuple[ctypes.CDLL, ...], name: str) -> Any:
    function = getattr(libraries[1] if name.startswith("IOReport") else libraries[0], name)
    function.argtypes, function.restype = _SIGNATURES[name]
    return function
