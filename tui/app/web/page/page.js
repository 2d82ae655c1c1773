"use strict";
// A picture is fetched from the server's own room. Nothing else is opened: an address that a model wrote is text.
const open = window.open.bind(window);
window.open = (address, target) => {
  const picture = address && new URL(address, window.location.href);
  if (!picture || picture.origin !== window.location.origin || !picture.pathname.startsWith("/download/")) return null;
  return open(new URL("." + picture.pathname, window.location.href).href, target);
};

// The terminal measures its font once, so it may open only after the font is there.
const load = window.onload;
window.onload = async (event) => {
  document.getElementById("again").onclick = () => window.location.assign("./");
  await document.fonts.load("16px 'Roboto Mono'").catch(() => {});
  load(event);
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
