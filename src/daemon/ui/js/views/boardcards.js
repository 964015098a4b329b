// The parts of the board's page around the board: the list of moves, loading and saving, the known records.

import { button, h, newId, say, saveAs, show, toast } from "../dom.js";
import { moves as inMoves } from "../format.js";
import { ACCEPTED, LARGEST, gridText } from "../gridfile.js";
import { t } from "../language.js";
import { msrCompact, pentasol, pentasolMove } from "../notation.js";
import { picture } from "../picturefile.js";

/** The moves played, the newest in sight. */
export function movesCard(played) {
  const list = h("ol", { class: "movelist mono", tabindex: 0, "data-empty": t`No move yet.`, "aria-label": t`Moves` });
  const node = h("section", { class: "card stack", "aria-label": t`Moves` }, h("h2", {}, t`Moves`), list);
  node.draw = () => {
    while (list.childElementCount > played.moves.length) list.lastChild.remove();
    played.moves.forEach((move, n) => {
      const text = pentasolMove(move);
      if (list.children[n]) say(list.children[n], text);
      else list.append(h("li", {}, text));
    });
    list.scrollTop = list.scrollHeight;
  };
  return node;
}

/**
 * The dialog that loads a grid from a file or a text; `dialog.ask()` opens it. `read(text)` gives the grid that a text holds, {variant,
 * moves}, or an error with a message to be shown.
 */
export function loadDialog(played, read) {
  const text = h("textarea", { rows: 6, id: newId("paste"), spellcheck: "false", placeholder: "(28,28)\n(31,29) | -2\n\u2026 or MS1:\u2026" });
  const trouble = h("p", { class: "problem", role: "alert" });
  const file = h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", accept: ACCEPTED, onchange: async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    takeFile(chosen);
  } });
  const dialog = h("dialog", { "aria-label": t`Load a grid` }, h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    take(text.value);
  } }, h("h2", {}, t`Load a grid`), h("label", { for: text.id }, t`Pentasol, MSR, or a picture that carries its record`), text, trouble,
  h("div", { class: "row spread" }, button(t`File\u2026`, { glyph: "open", onclick: () => file.click() }), file,
    h("div", { class: "row" }, button(t`Cancel`, { onclick: () => dialog.close() }), button(t`Load`, { kind: "main", type: "submit" })))));

  async function takeFile(chosen) {
    try {
      text.value = await gridText(chosen);
    } catch (problem) {
      say(trouble, problem.message);
      return false;
    }
    return take(text.value);
  }
  async function take(content) {
    say(trouble, "");
    if (content.length > LARGEST) {
      say(trouble, t`The text is larger than 1 MiB, which no grid is.`);
      return false;
    }
    try {
      const { variant, moves } = await read(content);
      played.set(variant, moves);
      dialog.close();
      toast(t`Loaded: ${variant}, ${inMoves(moves.length)}.`);
    } catch (problem) {
      say(trouble, problem.message);
      return false;
    }
    return true;
  }
  dialog.ask = () => {
    say(trouble, "");
    dialog.showModal();
  };
  /** Loads a file that was dropped; what is wrong with it is told in the dialog. */
  dialog.takeFile = async (dropped) => {
    if (!(await takeFile(dropped)) && !dialog.open) dialog.showModal();
  };
  return dialog;
}

/** Loading and saving, and further buttons. */
export function filesCard(played, loading, more = []) {
  const name = (ending) => `${played.variant}-${played.moves.length}.${ending}`;
  return h("section", { class: "card stack", "aria-label": t`Load and save` }, h("h2", {}, t`Load and save`), h("div", { class: "row" },
    button(t`Load\u2026`, { glyph: "open", onclick: () => loading.ask() }),
    button("Pentasol", { glyph: "save", onclick: () => saveAs(pentasol(played.variant, played.moves), name("txt")) }),
    button("MSR", { glyph: "save", onclick: async () => saveAs(await msrCompact(played.variant, played.moves), name("msr")) }),
    button(t`Picture`, { glyph: "save", onclick: async () => saveAs(await picture(played.variant, played.moves), name("png")) }), more));
}

/** The known records, to be opened on the board from their first move or as a whole. */
export function recordsCard(played) {
  const list = h("ul", { class: "records" });
  const node = h("section", { class: "card stack", "aria-label": t`Known records`, hidden: true },
    h("h2", {}, t`Known records`), list);
  let all = [];
  node.draw = () => {
    const mine = all.filter(({ variant }) => variant === played.variant);
    show(node, mine.length > 0);
    if (node.variant === played.variant || !mine.length) return;
    node.variant = played.variant;
    list.replaceChildren(...mine.map(({ name, variant, author, moves }) => h("li", { class: "row spread" },
      h("span", { class: "cut", title: author }, h("strong", { class: "num" }, String(moves.length)), h("span", { class: "faint" }, ` ${author || name}`)),
      button(t`Open`, { "aria-label": t`Open the record ${name}`, onclick: () => played.set(variant, moves.map(([x, y, d, i]) => ({ x, y, d, i }))) }))));
  };
  fetch(new URL("../../records.json", import.meta.url)).then(async (answer) => {
    if (answer.ok) all = await answer.json();
    node.draw();
  }, () => {
    // Then they are not shown.
  });
  return node;
}
