// Morpion by hand, in all four variants. The position stands in the address and in the browser's storage, so nothing is lost by
// loading the page again; "back" takes no move back, for that there is undo.

import { checkGrid, newKey, post, saveAs, sendGrid } from "../api.js";
import { BoardPad } from "../boardpad.js";
import { button, h, newId, say, show, toast } from "../dom.js";
import { moves as inMoves } from "../format.js";
import { switches } from "../grid.js";
import { grid as loadGrid, learn } from "../live.js";
import { fromAddress, msrCompact, pentasol, pentasolMove, toAddress } from "../notation.js";
import { CODES, Game, VARIANTS, fromView, same } from "../rules.js";
import { STRATEGIES, seconds } from "../settings.js";
import { LARGEST } from "./archive.js";

const KEPT = "morpion.board";

export default function board({ query }) {
  let game = new Game("5T");
  /** Moves taken back, the next one last. */
  let undone = [];

  const pad = new BoardPad((move) => play(move));
  const score = h("strong", { class: "score num" }, "0");
  const left = h("span", { class: "faint num" });
  const list = h("ol", { class: "movelist mono", "aria-label": "Moves" });
  const undo = button("Undo", { glyph: "undo", onclick: () => back() });
  const redo = button("Redo", { glyph: "redo", onclick: () => forth() });
  const toStart = button("To the start", { glyph: "first", quiet: true, onclick: () => go(0) });
  const toEnd = button("To the end", { glyph: "last", quiet: true, onclick: () => go(Infinity) });
  const variants = h("div", { class: "segmented", role: "group", "aria-label": "Variant" }, CODES.map((code) =>
    h("button", { type: "button", "data-variant": code, title: VARIANTS[code].text, onclick: () => begin(code) }, code)));
  const hints = h("input", { type: "checkbox", checked: true, onchange: () => pad.hinted(hints.checked) });

  function draw() {
    pad.draw(game);
    say(score, game.moves.length);
    say(left, `${pad.legal.length === 1 ? "1 legal move" : `${pad.legal.length} legal moves`} \u00b7 best known ${VARIANTS[game.variant].record}`);
    for (const one of variants.children) one.setAttribute("aria-pressed", String(one.dataset.variant === game.variant));
    undo.disabled = toStart.disabled = game.moves.length === 0;
    redo.disabled = toEnd.disabled = undone.length === 0;
    hunt.disabled = pad.legal.length === 0;
    while (list.childElementCount > game.moves.length) list.lastChild.remove();
    game.moves.forEach((move, n) => {
      const text = pentasolMove(move);
      if (list.children[n]) say(list.children[n], text);
      else list.append(h("li", {}, text));
    });
    list.scrollTop = list.scrollHeight;
    const address = toAddress(game.variant, [...game.moves, ...undone.toReversed()]);
    const at = undone.length ? `&at=${game.moves.length}` : "";
    history.replaceState(null, "", `#/board?g=${address}${at}`);
    try {
      localStorage.setItem(KEPT, `g=${address}${at}`);
    } catch {
      // The address has it too.
    }
    pad.refocus();
  }

  function play(move) {
    if (!game.play(move)) return;
    // The same move as the one taken back keeps those behind it.
    if (undone.length && same(undone.at(-1), move)) undone.pop();
    else undone = [];
    draw();
  }
  function back() {
    const move = game.undo();
    if (move) undone.push(move);
    draw();
  }
  function forth() {
    const move = undone.pop();
    if (move) game.play(move);
    draw();
  }
  function go(n) {
    while (game.moves.length > n) undone.push(game.undo());
    while (game.moves.length < n && undone.length) game.play(undone.pop());
    draw();
  }
  function set(variant, moves, at = moves.length) {
    game = new Game(variant, moves);
    undone = [];
    go(at);
  }
  function begin(variant) {
    if (game.moves.length && variant === game.variant) return;
    set(variant, []);
  }
  const anew = button("New game", { glyph: "restart", onclick: () => {
    // Nothing is lost: redo plays the game again.
    go(0);
    toast("The board is empty again; \u201cto the end\u201d brings the game back.");
  } });

  // Loading: a file, or text.
  const text = h("textarea", { rows: 6, id: newId("paste"), spellcheck: "false", placeholder: "(28,28)\n(31,29) | -2\n\u2026 or MS1:\u2026" });
  const trouble = h("p", { class: "problem", role: "alert" });
  async function take(content, dialog) {
    trouble.textContent = "";
    if (content.length > LARGEST) {
      trouble.textContent = "the text is longer than 1 MiB: no grid is";
      return;
    }
    try {
      const view = await checkGrid(content);
      set(view.variant, view.moves.map(fromView));
      dialog.close();
      toast(`Loaded: ${view.variant}, ${inMoves(view.moves.length)}.`);
    } catch (problem) {
      trouble.textContent = problem.message;
    }
  }
  const file = h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", accept: ".txt,.psol,.msr,.json", onchange: async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    text.value = chosen.size > LARGEST ? "" : await chosen.text();
    take(text.value, loading);
  } });
  const loading = h("dialog", { "aria-label": "Load a grid" }, h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    take(text.value, loading);
  } }, h("h2", {}, "Load a grid"), h("label", { for: text.id }, "Pentasol or MSR"), text, trouble,
  h("div", { class: "row spread" }, button("File\u2026", { glyph: "open", onclick: () => file.click() }), file,
    h("div", { class: "row" }, button("Cancel", { onclick: () => loading.close() }), button("Load", { kind: "main", type: "submit" })))));

  const name = (ending) => `${game.variant}-${game.moves.length}.${ending}`;
  const saves = h("div", { class: "row" },
    button("Load\u2026", { glyph: "open", onclick: () => {
      trouble.textContent = "";
      loading.showModal();
    } }),
    button("Pentasol", { glyph: "save", onclick: () => saveAs(pentasol(game.variant, game.moves), name("txt")) }),
    button("MSR", { glyph: "save", onclick: async () => saveAs(await msrCompact(game.variant, game.moves), name("msr")) }),
    button("To the archive", { onclick: async () => {
      try {
        const view = await sendGrid(pentasol(game.variant, game.moves));
        toast(view.record ? `Taken: it equals the known record ${view.record}.` : "Taken into the archive.");
      } catch (problem) {
        toast(`The grid is not taken: ${problem.message}`, "bad");
      }
    } }));

  // Hunt from here: the usual settings, everything else in the form.
  const ids = [newId("hunt"), newId("hunt"), newId("hunt")];
  const strategy = h("select", { id: ids[0] }, Object.entries(STRATEGIES).filter(([value]) => value !== "perturb" && value !== "permute")
    .map(([value, [title]]) => h("option", { value }, title)));
  const time = h("input", { id: ids[1], value: "10m", autocomplete: "off" });
  const threads = h("input", { id: ids[2], type: "number", min: 1, placeholder: "all" });
  const huntTrouble = h("p", { class: "problem", role: "alert" });
  const huntWhat = h("p", { class: "faint" });
  let key = newKey();
  const hunting = h("dialog", { "aria-label": "Hunt from here" }, h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    huntTrouble.textContent = "";
    const limit = time.value.trim() ? seconds(time.value) : null;
    if (limit === undefined) {
      huntTrouble.textContent = `'${time.value}' is no time: 30m, 12h or 7d is`;
      return;
    }
    const grid = pentasol(game.variant, game.moves);
    try {
      const job = await post("/jobs", { kind: "hunt", name: `From a position of ${inMoves(game.moves.length)}`,
        settings: { variant: game.variant, strategy: strategy.value },
        limits: { seconds: limit, threads: threads.value ? Number(threads.value) : null },
        ...(game.moves.length ? { start: { grid, moves: game.moves.length } } : {}) }, { "idempotency-key": key });
      key = newKey();
      learn(job);
      hunting.close();
      location.hash = `#/jobs/${job.id}`;
    } catch (problem) {
      if (!problem.unreachable) key = newKey();
      huntTrouble.textContent = problem.message;
    }
  } }, h("h2", {}, "Hunt from here"), huntWhat,
  h("div", { class: "fields narrow" }, [["Strategy", strategy], ["Time", time], ["Threads at once", threads]].map(([label, input]) =>
    h("div", { class: "field" }, h("label", { for: input.id }, label), input))), huntTrouble,
  h("div", { class: "row spread" }, button("All settings", { kind: "quiet", onclick: () => {
    hunting.close();
    location.hash = `#/submit?start=${toAddress(game.variant, game.moves)}&strategy=${strategy.value}`;
  } }), h("div", { class: "row" }, button("Cancel", { onclick: () => hunting.close() }), button("Hunt", { kind: "main", type: "submit", glyph: "hunt" })))));
  const hunt = button("Hunt from here", { kind: "main", glyph: "hunt", onclick: () => {
    huntTrouble.textContent = "";
    say(huntWhat, game.moves.length ? `The job keeps these ${inMoves(game.moves.length)} and looks for the longest game that begins with them.`
      : "The board is empty: the job looks for the longest game.");
    hunting.showModal();
  } });

  const onkey = (event) => {
    if (event.target.closest?.("input, textarea, select, dialog")) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    if ((command && event.key === "z" && !event.shiftKey) || (plain && (event.key === "u" || event.key === "Backspace"))) back();
    else if ((command && (event.key === "y" || (event.shiftKey && event.key.toLowerCase() === "z"))) || (plain && event.key === "r")) forth();
    else return;
    event.preventDefault();
  };
  document.addEventListener("keydown", onkey);

  function open(asked) {
    if (asked.get("grid")) {
      loadGrid(asked.get("grid")).then((view) => set(view.variant, view.moves.map(fromView)),
        (problem) => toast(`The grid cannot be loaded: ${problem.message}`, "bad"));
    }
    let kept = "";
    try {
      kept = localStorage.getItem(KEPT) || "";
    } catch {
      // Without storage a new game begins.
    }
    const from = asked.get("g") ? asked : new URLSearchParams(kept);
    const found = fromAddress(from.get("g"));
    set(found?.variant || "5T", found?.moves || [], from.has("at") ? Number(from.get("at")) : Infinity);
  }
  const element = h("div", { class: "cards" },
    h("div", { class: "row spread" }, h("h1", {}, "Board"), variants),
    h("div", { class: "two wide" },
      h("section", { class: "card stack tight", "aria-label": "Board" }, pad.element,
        h("div", { class: "row" }, toStart, undo, redo, toEnd, anew)),
      h("div", { class: "cards side" },
        h("section", { class: "card stack", "aria-label": "Game" }, h("div", { class: "row base" }, score, h("span", {}, "moves"), left), hunt,
          h("div", { class: "row spread" }, h("label", { class: "check" }, hints, " show legal moves"), switches(pad.picture))),
        h("section", { class: "card stack", "aria-label": "Load and save" }, h("h2", {}, "Load and save"), saves),
        h("section", { class: "card stack", "aria-label": "Moves" }, h("h2", {}, "Moves"), list))),
    loading, hunting);
  open(query);
  return {
    element, title: "Board", page: "board",
    // The address is the board's own doing, unless somebody opens another position.
    update: (asked) => {
      if (asked.get("g") !== toAddress(game.variant, [...game.moves, ...undone.toReversed()])) open(asked);
      return true;
    },
    destroy: () => document.removeEventListener("keydown", onkey),
  };
}
