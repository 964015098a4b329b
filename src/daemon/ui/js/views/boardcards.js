// The parts of the board's page around the board: the list of moves, loading and saving, the hunt from a position.

import { checkGrid, newKey, post, saveAs, sendGrid } from "../api.js";
import { button, h, newId, say, toast } from "../dom.js";
import { moves as inMoves } from "../format.js";
import { ACCEPTED, LARGEST, gridText } from "../gridfile.js";
import { learn } from "../live.js";
import { msrCompact, pentasol, pentasolMove, toAddress } from "../notation.js";
import { fromView } from "../rules.js";
import { catalogue, seconds } from "../settings.js";

/** The moves played, the newest in sight. */
export function movesCard(played) {
  const list = h("ol", { class: "movelist mono", "aria-label": "Moves" });
  const node = h("section", { class: "card stack", "aria-label": "Moves" }, h("h2", {}, "Moves"), list);
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

/** The dialog that loads a grid from a file or a text; `dialog.ask()` opens it. */
export function loadDialog(played) {
  const text = h("textarea", { rows: 6, id: newId("paste"), spellcheck: "false", placeholder: "(28,28)\n(31,29) | -2\n\u2026 or MS1:\u2026" });
  const trouble = h("p", { class: "problem", role: "alert" });
  const file = h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", accept: ACCEPTED, onchange: async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    takeFile(chosen);
  } });
  const dialog = h("dialog", { "aria-label": "Load a grid" }, h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    take(text.value);
  } }, h("h2", {}, "Load a grid"), h("label", { for: text.id }, "Pentasol, MSR, or a picture that carries its record"), text, trouble,
  h("div", { class: "row spread" }, button("File\u2026", { glyph: "open", onclick: () => file.click() }), file,
    h("div", { class: "row" }, button("Cancel", { onclick: () => dialog.close() }), button("Load", { kind: "main", type: "submit" })))));

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
      say(trouble, "The text is larger than 1 MiB, which no grid is.");
      return false;
    }
    try {
      const view = await checkGrid(content);
      played.set(view.variant, view.moves.map(fromView));
      dialog.close();
      toast(`Loaded: ${view.variant}, ${inMoves(view.moves.length)}.`);
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

/** Loading, saving, and sending to the archive. */
export function filesCard(played, loading) {
  const name = (ending) => `${played.variant}-${played.moves.length}.${ending}`;
  const text = () => pentasol(played.variant, played.moves);
  const send = async () => {
    try {
      const view = await sendGrid(text());
      toast(view.record ? `The archive has it now: it equals the known record ${view.record}.` : "The archive has it now.");
    } catch (problem) {
      toast(`The archive refuses the grid: ${problem.message}`, "bad");
    }
  };
  return h("section", { class: "card stack", "aria-label": "Load and save" }, h("h2", {}, "Load and save"), h("div", { class: "row" },
    button("Load\u2026", { glyph: "open", onclick: () => loading.ask() }),
    button("Pentasol", { glyph: "save", onclick: () => saveAs(text(), name("txt")) }),
    button("MSR", { glyph: "save", onclick: async () => saveAs(await msrCompact(played.variant, played.moves), name("msr")) }),
    button("To the archive", { onclick: send })));
}

/** The dialog that submits a hunt from the position; `dialog.ask()` opens it. */
export function huntDialog(played) {
  const ids = [newId("hunt"), newId("hunt"), newId("hunt")];
  const strategy = h("select", { id: ids[0] }, h("option", { value: "auto" }, "Automatic"));
  const time = h("input", { id: ids[1], value: "10m", autocomplete: "off" });
  const workers = h("input", { id: ids[2], type: "number", min: 1, placeholder: "all" });
  const [trouble, what] = [h("p", { class: "problem", role: "alert" }), h("p", { class: "faint" })];
  const fields = h("div", { class: "fields narrow" }, [["Strategy", strategy], ["Time", time], ["Workers at once", workers]].map(([label, input]) =>
    h("div", { class: "field" }, h("label", { for: input.id }, label), input)));
  const all = button("All settings", { kind: "quiet", onclick: () => {
    dialog.close();
    location.hash = `#/submit?start=${toAddress(played.variant, played.moves)}&strategy=${strategy.value}`;
  } });
  const dialog = h("dialog", { "aria-label": "Hunt from here" }, h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    submit();
  } }, h("h2", {}, "Hunt from here"), what, fields, trouble, h("div", { class: "row spread" }, all, h("div", { class: "row" },
    button("Cancel", { onclick: () => dialog.close() }), button("Hunt", { kind: "main", type: "submit", glyph: "hunt" })))));

  const request = (limit) => ({ kind: "hunt", name: `From a position of ${inMoves(played.moves.length)}`,
    settings: { variant: played.variant, strategy: strategy.value },
    limits: { seconds: limit, workers: workers.value ? Number(workers.value) : null },
    ...(played.moves.length ? { start: { grid: pentasol(played.variant, played.moves), moves: played.moves.length } } : {}) });
  let key = newKey();
  async function submit() {
    say(trouble, "");
    const limit = time.value.trim() ? seconds(time.value) : null;
    if (limit === undefined) {
      say(trouble, `'${time.value}' is not a valid time: 30m, 12h and 7d are`);
      return;
    }
    try {
      const job = await post("/jobs", request(limit), { "idempotency-key": key });
      key = newKey();
      learn(job);
      dialog.close();
      location.hash = `#/jobs/${job.id}`;
    } catch (problem) {
      if (!problem.unreachable) key = newKey();
      say(trouble, problem.message);
    }
  }
  dialog.ask = () => {
    say(trouble, "");
    if (strategy.childElementCount === 1) {
      catalogue().then(({ strategies }) => strategy.append(...strategies.map(({ name, label }) => h("option", { value: name }, label))),
        (problem) => say(trouble, problem.message));
    }
    say(what, played.moves.length ? `The job keeps these ${inMoves(played.moves.length)} and looks for the longest game that begins with them.`
      : "The board is empty: the job looks for the longest game.");
    dialog.showModal();
  };
  return dialog;
}
