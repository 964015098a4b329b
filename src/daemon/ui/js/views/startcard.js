// What a hunt starts from: the first moves of a grid, and the grids that a local search begins with.

import { checkGrid } from "../api.js";
import { button, h, say, show, toast } from "../dom.js";
import { moves } from "../format.js";
import { thumbnail } from "../grid.js";
import { ACCEPTED, gridText } from "../gridfile.js";
import { t, tn } from "../language.js";
import { grid as loadGrid } from "../live.js";
import { fromAddress, pentasol } from "../notation.js";
import { fromView } from "../rules.js";
import { field } from "./fields.js";

/** The most grids of a request. */
const MOST_GRIDS = 1000;

const fileInput = (multiple, take) => h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", multiple,
  accept: ACCEPTED, onchange: (event) => {
    const chosen = [...event.target.files];
    event.target.value = "";
    if (chosen.length) take(chosen);
  } });

/** The files with the grids that a local search begins with; `changed()` is called when they change. */
function gridsBox(changed) {
  let grids = [];
  const text = h("p", { class: "faint" }, t`none: each run begins with nothing`);
  const files = fileInput(true, async (chosen) => {
    try {
      grids = await Promise.all(chosen.slice(0, MOST_GRIDS).map(gridText));
    } catch (problem) {
      toast(problem.message, "bad");
      return;
    }
    say(text, tn(grids.length, "{0} file", "{0} files"));
    show(none, true);
    changed();
  });
  const none = button(t`None`, { onclick: () => {
    grids = [];
    say(text, t`none: each run begins with nothing`);
    show(none, false);
    changed();
  } });
  none.hidden = true;
  const node = h("div", { class: "stack" }, h("h3", {}, t`Grids to begin with`), text,
    h("div", { class: "row" }, button(t`Choose files\u2026`, { glyph: "open", onclick: () => files.click() }), none), files);
  return { node, value: () => (grids.length && !node.hidden ? grids : undefined) };
}

/**
 * The card. `picked(variant)` is called when a grid was chosen, `changed()` after every change. `value()` gives the parts `start` and `grids`
 * of a request; `file()` the name of the file that `start` came from.
 */
export function startCard({ picked, changed }) {
  let start = null;
  const [text, picture] = [h("p", { class: "faint" }, t`the empty board`), h("div", { class: "startpicture", hidden: true })];
  const keep = field({ name: "start", label: t`Keep the first moves`, kind: "whole", min: 0, help: t`The hunt searches for the longest game that begins with these moves.` });
  const clear = button(t`Empty board`, { onclick: () => set(null) });
  const set = (next) => {
    start = next;
    for (const node of [picture, keep.node, clear]) show(node, Boolean(start));
    say(text, start ? `${start.variant}, ${moves(start.list.length)}` : t`the empty board`);
    if (start) {
      picture.replaceChildren(thumbnail(start.variant, start.list));
      keep.input.max = keep.input.value = start.list.length;
      picked(start.variant);
    }
    changed();
  };
  const file = fileInput(false, async ([chosen]) => {
    try {
      const content = await gridText(chosen);
      const view = await checkGrid(content);
      set({ variant: view.variant, list: view.moves.map(fromView), text: content, file: chosen.name });
    } catch (problem) {
      toast(`${chosen.name}: ${problem.message}`, "bad");
    }
  });
  const grids = gridsBox(changed);
  const node = h("section", { class: "card stack", "aria-label": t`Start` }, h("h2", {}, t`Start from`), text, picture, keep.node,
    h("div", { class: "row" }, button(t`Grid file\u2026`, { glyph: "open", onclick: () => file.click() }),
      h("a", { class: "button", href: "#/board" }, t`The board`), clear), file, grids.node);
  for (const part of [keep.node, clear]) show(part, false);
  node.keep = keep;
  node.takesGrids = (takes) => show(grids.node, takes);
  node.file = () => start?.file;
  node.value = () => ({
    ...(start ? { start: { grid: start.text, moves: keep.read() ?? start.list.length } } : {}),
    ...(grids.value() ? { grids: grids.value() } : {}),
  });
  /** Takes the position or the grid that an address names. */
  node.open = (query) => {
    const found = fromAddress(query.get("start"));
    if (found) set({ variant: found.variant, list: found.moves, text: pentasol(found.variant, found.moves) });
    if (!query.get("grid")) return Promise.resolve();
    return loadGrid(query.get("grid")).then((view) => {
      const list = view.moves.map(fromView);
      set({ variant: view.variant, list, text: pentasol(view.variant, list) });
    });
  };
  return node;
}
