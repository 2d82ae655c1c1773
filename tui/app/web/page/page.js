"use strict";
// The terminal measures its font once, so it may open only after the font is there.
const open = window.onload;
window.onload = async (event) => {
  document.getElementById("again").onclick = () => window.location.assign("/");
  await document.fonts.load("16px 'Roboto Mono'").catch(() => {});
  open(event);
};

// Keys go to the terminal from the start. It tells its monitor of the focus, so the socket has to be open.
window.addEventListener("DOMContentLoaded", () => {
  const ready = new MutationObserver(() => {
    if (!document.body.classList.contains("-loaded")) return;
    ready.disconnect();
    document.querySelector(".xterm-helper-textarea").focus();
  });
  ready.observe(document.body, { attributes: true, attributeFilter: ["class"] });
});
