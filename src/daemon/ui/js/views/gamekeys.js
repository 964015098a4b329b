// The keys of the page of two-player games: which there are, as a list to be opened, and who hears them.

import { h } from "../dom.js";
import { t } from "../language.js";

/** The keys and what they do. */
const KEYS = [
  [[t`arrows`], t`go to a point where a move is possible`],
  [[t`Enter`], t`make that move`],
  [["U", "R"], t`undo, redo`],
  [["P"], t`pass`],
  [["H"], t`ask for a hint`],
  [["A"], t`analysis on, off`],
  [["+", "\u2212"], t`level up, down`],
  [["N"], t`new game; asks first while a game is in progress`],
  [["W", "B", "A"], t`in an opening: take white, take black, put two more stones`],
  [["?"], t`open, close this list`],
];

/** The list of the keys, which `?` opens and closes. */
export function keysList() {
  const list = h("ul", { class: "keys small" }, KEYS.map(([keys, what]) => h("li", {}, h("span", {}, keys.map((key) => h("kbd", {}, key))), h("span", {}, what))));
  const node = h("details", { class: "small" }, h("summary", {}, t`Keys`, " ", h("kbd", {}, "?")), list);
  node.key = (key) => {
    if (key !== "?") return false;
    node.open = !node.open;
    if (node.open) node.scrollIntoView({ block: "nearest" });
    return true;
  };
  return node;
}

/** Hands keys to the first part that has a use for them, as long as nobody types. Returns how to end that. */
export function hearKeys(element, parts) {
  const hear = (event) => {
    const { target, key, ctrlKey, metaKey, altKey, repeat } = event;
    const isHere = target === document.body || element.contains(target);
    if (event.defaultPrevented || !isHere || ctrlKey || metaKey || altKey || repeat || target.closest("input, select, textarea, dialog")) return;
    if (parts.some((part) => part.key?.(key.length === 1 ? key.toLowerCase() : key))) event.preventDefault();
  };
  document.addEventListener("keydown", hear);
  return () => document.removeEventListener("keydown", hear);
}
