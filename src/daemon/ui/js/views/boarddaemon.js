// What the daemon adds to the board: its reading of grid files, the archive, and hunts from a position.

import { checkGrid, newKey, post, sendGrid } from "../api.js";
import { button, h, newId, say, toast } from "../dom.js";
import { moves as inMoves } from "../format.js";
import { t, tc } from "../language.js";
import { grid as loadGrid, learn } from "../live.js";
import { pentasol, toAddress } from "../notation.js";
import { fromView } from "../rules.js";
import { catalogue, seconds } from "../settings.js";
import board from "./board.js";
import { refusal } from "./fields.js";

const moved = ({ variant, moves }) => ({ variant, moves: moves.map(fromView) });

/** Sends the game into the archive. */
function sendButton(played) {
  return button(t`To the archive`, { onclick: async () => {
    try {
      const view = await sendGrid(pentasol(played.variant, played.moves));
      toast(view.record ? t`The archive has it now: it equals the known record ${view.record}.` : t`The archive has it now.`);
    } catch (problem) {
      toast(t`The archive refuses the grid: ${problem.message}`, "bad");
    }
  } });
}

/** The dialog that submits a hunt from the position; `dialog.ask()` opens it. */
function huntDialog(played) {
  const ids = [newId("hunt"), newId("hunt"), newId("hunt")];
  const strategy = h("select", { id: ids[0] }, h("option", { value: "auto" }, t`Automatic`));
  const time = h("input", { id: ids[1], value: "10m", autocomplete: "off" });
  const workers = h("input", { id: ids[2], type: "number", min: 1, placeholder: tc("workers", "all") });
  const [trouble, what] = [h("p", { class: "problem", role: "alert" }), h("p", { class: "faint" })];
  const fields = h("div", { class: "fields narrow" }, [[t`Strategy`, strategy], [t`Time`, time], [t`Workers at once`, workers]].map(([label, input]) =>
    h("div", { class: "field" }, h("label", { for: input.id }, label), input)));
  const all = button(t`All settings`, { kind: "quiet", onclick: () => {
    dialog.close();
    location.hash = `#/submit?start=${toAddress(played.variant, played.moves)}&strategy=${strategy.value}`;
  } });
  const dialog = h("dialog", { "aria-label": t`Hunt from here` }, h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    submit();
  } }, h("h2", {}, t`Hunt from here`), what, fields, trouble, h("div", { class: "row spread" }, all, h("div", { class: "row" },
    button(t`Cancel`, { onclick: () => dialog.close() }), button(t`Hunt`, { kind: "main", type: "submit", glyph: "hunt" })))));

  const request = (limit) => ({ kind: "hunt", name: t`From a position of ${inMoves(played.moves.length)}`,
    settings: { variant: played.variant, strategy: strategy.value },
    limits: { seconds: limit, workers: workers.value ? Number(workers.value) : null },
    ...(played.moves.length ? { start: { grid: pentasol(played.variant, played.moves), moves: played.moves.length } } : {}) });
  let key = newKey();
  async function submit() {
    say(trouble, "");
    const limit = time.value.trim() ? seconds(time.value) : null;
    if (limit === undefined) {
      say(trouble, t`'${time.value}' is not a valid time: 30m, 12h and 7d are`);
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
      say(trouble, refusal(problem.message).text);
    }
  }
  dialog.ask = () => {
    say(trouble, "");
    if (strategy.childElementCount === 1) {
      catalogue().then(({ strategies }) => strategy.append(...strategies.map(({ name, label }) => h("option", { value: name }, label))),
        (problem) => say(trouble, problem.message));
    }
    say(what, played.moves.length ? t`The job keeps these ${inMoves(played.moves.length)} and looks for the longest game that begins with them.`
      : t`The board is empty: the job looks for the longest game.`);
    dialog.showModal();
  };
  return dialog;
}

/** The board, with all that the daemon can do for it. */
export default (asked) => board(asked, {
  read: async (text) => moved(await checkGrid(text)),
  grid: async (key) => moved(await loadGrid(key)),
  sendButton,
  huntDialog,
});
