// Sets the colours before anything is painted, so that no light page flashes up in the dark. A classic script: it runs at once.
(() => {
  let choice = "system";
  try {
    choice = localStorage.getItem("morpion.theme") || "system";
  } catch {
    // Storage can be forbidden; then the system decides.
  }
  document.documentElement.dataset.theme = choice;
})();
