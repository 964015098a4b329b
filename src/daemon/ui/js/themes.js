// The button that changes the colours: as the system has them, light, dark. `theme.js` sets the choice before anything is painted.

import { icon } from "./dom.js";
import { t } from "./language.js";

const THEMES = {
  system: ["system", t`Colours: as the system has them`], light: ["sun", t`Colours: light`], dark: ["moon", t`Colours: dark`],
};

/** Lets the button choose the colours. */
export function themes() {
  const button = document.getElementById("theme");
  const apply = (choice) => {
    document.documentElement.dataset.theme = choice;
    button.replaceChildren(icon(THEMES[choice][0]));
    button.setAttribute("aria-label", THEMES[choice][1]);
    button.title = THEMES[choice][1];
    try {
      localStorage.setItem("morpion.theme", choice);
    } catch {
      // Then the choice holds until the page is loaded again.
    }
  };
  const names = Object.keys(THEMES);
  apply(names.includes(document.documentElement.dataset.theme) ? document.documentElement.dataset.theme : "system");
  button.addEventListener("click", () =>
    apply(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]));
}
