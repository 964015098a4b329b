// Reversi and Go: set a position up or play to it, send it to the solver, and watch its bounds close. The daemon knows the rules; the
// position stands in the address, so nothing is lost by loading the page again.

import { get, newKey, post, query as asQuery } from "../api.js";
import { announce, attr, button, h, newId, say, show } from "../dom.js";
import { GameBoard, between, placeOf } from "../gameboard.js";
import { learn, state, subscribe, watch } from "../live.js";
import { amount, seconds } from "../settings.js";
import { failed, pill } from "./parts.js";
import { verdict } from "./solution.js";

const GAMES = {
  reversi: { name: "Reversi", size: "6", empty: "-", sizes: "4 to 8 each: 6, 4x6" },
  go: { name: "Go", size: "3x4", empty: ".", sizes: "1 to 7 each to be solved, up to 19 to play: 4, 3x4, 19" },
};
const RULES = {
  reversi: [["start", "Start", [["", "crosswise"], ["alternative", "side by side"]]],
    ["empties", "Empty cells at the end", [["ignored", "nobody\u2019s"], ["winner", "the winner\u2019s"]]]],
  go: [["ko", "Ko", [["", "basic"], ["superko", "superko"], ["free", "none"]]],
    ["cycle", "A game that repeats", [["", "is a tie"], ["lost-for-black", "is lost for black"], ["lost-for-white", "is lost for white"]]],
    ["suicide", "Suicide", [["", "forbidden"], ["on", "allowed"]]]],
};
const EDIT_MS = 200;

export default function games({ query }) {
  /** What the position is: settings of the start, and moves from there. */
  let game = GAMES[query.get("game")] ? query.get("game") : "reversi";
  let settings = {};
  let played = [];
  let undone = [];
  let view = null;
  let job = Number(query.get("job")) || null;
  let tool = null;
  let asked = 0;

  const board = new GameBoard({ label: "Board", pick: (name) => (tool ? set(name) : play(name)) });
  const title = h("h2", {}, "");
  const turn = h("p", { class: "prompt", role: "status" });
  const trouble = h("div", {});
  const list = h("ol", { class: "movelist mono", "aria-label": "Moves" });
  const undo = button("Undo", { glyph: "undo", onclick: () => { undone.push(played.pop()); ask(); } });
  const redo = button("Redo", { glyph: "redo", onclick: () => { played.push(undone.pop()); ask(); } });
  const pass = button("Pass", { onclick: () => play("pass") });
  const kinds = h("div", { class: "segmented", role: "group", "aria-label": "Game" }, Object.entries(GAMES).map(([value, { name }]) =>
    h("button", { type: "button", "data-game": value, onclick: () => begin(value, {}) }, name)));
  const size = input("Board", { type: "text", pattern: "[0-9]+(x[0-9]+)?" }, "");
  size.field.addEventListener("change", () => begin(game, { ...settings, size: size.field.value.trim(), position: undefined }));
  const rules = h("div", { class: "fields narrow" });
  const tools = h("div", { class: "segmented small", role: "group", "aria-label": "Set up" }, [["", "Play"], ["X", "Black"], ["O", "White"], [".", "Empty"]].map(([value, text]) =>
    h("button", { type: "button", "data-tool": value, onclick: () => { tool = value || null; draw(); } }, text)));
  const swap = button("Other side to move", { onclick: () => edit(view.cells, view.side === "black" ? "white" : "black") });
  const text = h("input", { type: "text", spellcheck: "false", autocomplete: "off", class: "mono", "aria-label": "Position as text" });
  text.addEventListener("change", () => begin(game, { ...settings, start: undefined,
    size: game === "go" ? undefined : settings.size, position: text.value.trim() || undefined }));

  function input(label, props, help) {
    const id = newId("solve");
    const field = h("input", { id, autocomplete: "off", spellcheck: "false", ...props });
    return { field, node: h("div", { class: "field" }, h("label", { for: id }, label), field, help && h("p", { class: "help" }, help)) };
  }
  function choice(label, options, onchange, props = {}) {
    const id = newId("solve");
    const field = h("select", { id, onchange, ...props }, options.map(([value, what]) => h("option", { value }, what)));
    return { field, node: h("div", { class: "field" }, h("label", { for: id }, label), field) };
  }

  // What is asked.
  const goal = choice("Find out", [["exact", "the value"], ["win-loss-draw", "who wins"], ["threshold", "whether it is at least \u2026"]], () =>
    show(threshold.node, goal.field.value === "threshold"), { name: "goal" });
  const threshold = input("At least", { type: "number", name: "threshold", value: 1, step: 1, min: -1000, max: 1000 });
  show(threshold.node, false);
  const fields = {
    user: input("Credit goes to", { type: "text", name: "user", placeholder: "local", maxlength: 64 }),
    threads: input("Threads at once", { type: "number", name: "threads", placeholder: "all", min: 1, step: 1 }),
    seconds: input("Time", { type: "text", name: "seconds", placeholder: "no limit", pattern: "([0-9.]+[smhd]?)+" }, "30m, 12h"),
    memory: input("Memory per worker", { type: "text", name: "memory", placeholder: "64M", pattern: "[0-9]+[kKMG]?" }),
    unit_budget: input("Nodes per unit", { type: "text", name: "unit_budget", placeholder: "20M", pattern: "[0-9_]+[kMG]?" }),
    quorum: input("Workers that agree", { type: "number", name: "quorum", placeholder: "1", min: 1, max: 9, step: 1 }),
    priority: input("Priority", { type: "number", name: "priority", placeholder: "0", min: -100, max: 100, step: 1 }),
    name: input("Name", { type: "text", name: "name", placeholder: "made from the position", maxlength: 80 }),
  };
  const refusal = h("p", { class: "problem", role: "alert", hidden: true });
  const playOnly = h("p", { class: "help", hidden: true }, "Boards beyond 7x7 are for play: the solver does not take them.");
  const send = button("Solve this position", { kind: "main", type: "submit", glyph: "hunt" });
  const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); submit(); } },
    h("div", { class: "fields narrow" }, goal.node, threshold.node, fields.threads.node, fields.seconds.node),
    h("details", {}, h("summary", {}, "More"), h("div", { class: "fields narrow" }, ["user", "memory", "unit_budget", "quorum", "priority", "name"].map((n) => fields[n].node))),
    refusal, playOnly, h("div", {}, send));

  // The job that solves a position from here.
  const status = pill();
  const value = h("strong", { class: "score num" });
  const words = h("p", {});
  const link = h("a", {}, "");
  const other = h("p", { class: "faint small", hidden: true });
  const jobCard = h("section", { class: "card stack", "aria-label": "Solver" }, h("header", {}, h("h2", {}, "Solver"), status),
    h("div", { class: "row base" }, value, words), other, h("p", {}, link));
  jobCard.hidden = true;

  /** The settings that say which position this is. */
  const place = () => {
    // What a position on its own would be taken for is not what a game is worth that goes on.
    const empties = game === "reversi" && settings.position ? settings.empties || "ignored" : settings.empties;
    return Object.fromEntries(Object.entries({ game, ...settings, empties }).filter(([, v]) => v !== undefined && v !== ""));
  };

  function begin(which, next) {
    const fresh = which !== game;
    game = which;
    settings = fresh ? {} : next;
    settings.size ||= settings.position && game === "go" ? undefined : GAMES[game].size;
    [played, undone] = [[], []];
    if (fresh) job = null;
    ask();
  }

  /** Asks the daemon for the position; the newest answer counts. */
  async function ask() {
    const number = ++asked;
    try {
      const answer = await post("/position", { settings: place(), moves: played });
      if (number !== asked) return;
      view = answer;
      trouble.replaceChildren();
    } catch (problem) {
      if (number !== asked) return;
      if (problem.unreachable) trouble.replaceChildren(failed(problem, ask));
      else trouble.replaceChildren(failed(problem));
    }
    draw();
    keep();
  }

  /** The address of what is shown. */
  function keep() {
    const now = asQuery({ ...place(), moves: played.join("."), job });
    history.replaceState(null, "", `#/games${now}`);
  }

  function play(name) {
    if (!view?.legal.includes(name)) return;
    announce(`${view.side} ${name}`);
    played.push(name);
    undone = [];
    ask();
  }

  let editing = 0;
  /** Another position, set up by hand. */
  function edit(cells, side) {
    const rows = Array.from({ length: view.height }, (_, y) => cells.slice(y * view.width, (y + 1) * view.width));
    const first = side === "black" ? "X" : "O";
    settings = { ...settings, size: `${view.width}x${view.height}`, start: undefined,
      position: game === "go" ? `${rows.join("/")} ${side}` : `${rows.join(" ").replaceAll(".", "-")} ${first}` };
    [played, undone] = [[], []];
    view = { ...view, cells, side, legal: [], moves: [] };
    draw();
    clearTimeout(editing);
    editing = setTimeout(ask, EDIT_MS);
  }

  function set(name) {
    const at = placeOf(view, name);
    const mark = view.cells[at] === tool ? "." : tool;
    edit(view.cells.slice(0, at) + mark + view.cells.slice(at + 1), view.side);
  }

  const shownRules = () => {
    if (rules.dataset.game === game) return;
    rules.dataset.game = game;
    rules.replaceChildren(size.node, ...RULES[game].map(([name, label, options]) => choice(label, options, (event) =>
      begin(game, { ...settings, [name]: event.target.value || undefined, ...(name === "start" ? { position: undefined } : {}) }), { name }).node));
  };

  function draw() {
    shownRules();
    for (const one of kinds.children) attr(one, "aria-pressed", String(one.dataset.game === game));
    for (const one of tools.children) attr(one, "aria-pressed", String(one.dataset.tool === (tool || "")));
    if (document.activeElement !== size.field) size.field.value = settings.size || (view ? `${view.width}x${view.height}` : "");
    size.field.title = GAMES[game].sizes;
    for (const one of rules.querySelectorAll("select")) one.value = settings[one.name] || (one.name === "empties" ? "ignored" : "");
    undo.disabled = !played.length;
    redo.disabled = !undone.length;
    if (!view || view.game !== game) return;
    const found = mine()?.solution;
    const same = found && found.position === view.position && found.game === view.game;
    board.draw(view, { legal: tool ? [] : view.legal, editing: Boolean(tool), last: played.at(-1),
      moves: same && !tool ? found.moves : [], best: same && !tool ? found.best_moves : [] });
    say(title, view.title);
    const number = (mark) => [...view.cells].filter((c) => c === mark).length;
    const counts = `${number("X")} black, ${number("O")} white`;
    say(turn, tool ? `Setting up: ${counts}, ${view.side} to move` : view.outcome !== null && view.outcome !== undefined
      ? `The game is over: ${view.outcome === 0 ? "a draw" : `${view.outcome > 0 === (view.side === "black") ? "black" : "white"} wins by ${Math.abs(view.outcome)}`} (${counts})`
      : `${view.side} to move, ${view.legal.length === 1 ? "1 legal move" : `${view.legal.length} legal moves`} \u00b7 ${counts}`);
    show(pass, !tool && view.legal.includes("pass"));
    show(swap, Boolean(tool));
    if (document.activeElement !== text) text.value = view.position;
    list.replaceChildren(...played.map((name) => h("li", {}, name)));
    send.disabled = !view.solvable || Boolean(view.outcome !== null && view.outcome !== undefined) || Boolean(tool && !view.legal.length);
    show(playOnly, !view.solvable);
    drawJob(same);
  }

  let known = null;
  const mine = () => (job ? state.jobs.get(job) || known : null);

  function drawJob(same) {
    const now = mine();
    show(jobCard, Boolean(now?.solution));
    if (!now?.solution) return;
    known = now;
    status.set(now);
    say(value, between(now.solution.lower, now.solution.upper));
    say(words, verdict(now.solution));
    attr(link, "href", `#/jobs/${job}`);
    say(link, `Job ${job}: ${now.name}`);
    say(other, "Its position is another one than the board\u2019s; the values shown belong to that one.");
    show(other, !same);
  }

  let key = newKey();
  async function submit() {
    refusal.hidden = true;
    const asking = { ...place(), position: view.position };
    if (game === "reversi") Object.assign(asking, { size: `${view.width}x${view.height}`, empties: settings.empties || "ignored", start: undefined });
    else asking.size = undefined;
    if (goal.field.value === "threshold") asking.threshold = Number(threshold.field.value);
    else if (goal.field.value !== "exact") asking.value = goal.field.value;
    const given = (name) => fields[name].field.value.trim();
    for (const name of ["user", "memory", "unit_budget", "quorum"]) {
      if (given(name)) asking[name] = name === "quorum" ? Number(given(name)) : name === "unit_budget" ? amount(given(name)) ?? given(name) : given(name);
    }
    const limits = {};
    if (given("threads")) limits.threads = Number(given("threads"));
    if (given("seconds")) limits.seconds = seconds(given("seconds"));
    const body = { kind: "solve", settings: Object.fromEntries(Object.entries(asking).filter(([, v]) => v !== undefined && v !== "")), limits };
    if (given("name")) body.name = given("name");
    if (given("priority")) body.priority = Number(given("priority"));
    send.disabled = true;
    try {
      const made = await post("/jobs", body, { "idempotency-key": key });
      key = newKey();
      learn(made);
      job = made.id;
      known = made;
      announce(`Job ${job} was submitted`);
      keep();
    } catch (problem) {
      if (!problem.unreachable) key = newKey();
      say(refusal, problem.message);
      refusal.hidden = false;
    }
    send.disabled = false;
    draw();
  }

  const keys = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "u" && !undo.disabled) undo.click();
    else if (event.key === "r" && !redo.disabled) redo.click();
    else if (event.key === "p" && !pass.hidden) pass.click();
  };

  const element = h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, "Reversi and Go"), kinds),
    h("div", { class: "two" }, h("section", { class: "card stack", "aria-label": "Board" }, h("header", {}, title), trouble, board.element, turn,
      h("div", { class: "row" }, undo, redo, pass, tools, swap)),
    h("div", { class: "cards" }, jobCard,
      h("section", { class: "card stack", "aria-label": "Solve" }, h("h2", {}, "Solve"), form),
      h("section", { class: "card stack", "aria-label": "Rules" }, h("h2", {}, "Board and rules"), rules, h("div", { class: "field" }, h("span", { class: "small" }, "Position as text"), text)),
      h("section", { class: "card", "aria-label": "Moves" }, h("header", {}, h("h2", {}, "Moves")), list))));
  element.addEventListener("keydown", keys);

  /** What the address says: the settings, the moves, the job; the position of the job if nothing else is said. */
  async function load() {
    for (const [name, given] of query) if (!["game", "moves", "job"].includes(name)) settings[name] = given;
    played = (query.get("moves") || "").split(".").filter(Boolean);
    if (job) {
      try {
        known = await get(`/jobs/${job}`);
        learn(known);
        if (!query.get("game") && known.solution) {
          game = known.solution.game;
          const { ko, cycle, suicide, empties } = known.settings;
          settings = { position: known.solution.position, size: `${known.solution.width}x${known.solution.height}`,
            ...(game === "go" ? { ko, cycle, suicide } : { empties: empties || (known.settings.position ? "winner" : "ignored") }) };
        }
      } catch {
        job = null;
      }
    }
    settings.size ||= GAMES[game].size;
    ask();
  }
  load();
  const stop = subscribe(draw);
  let [watched, unwatch] = [null, () => {}];
  const follow = subscribe(() => {
    if (watched === job) return;
    unwatch();
    watched = job;
    unwatch = job ? watch(job) : () => {};
  });
  return { element, title: "Reversi and Go", page: "games", destroy: () => {
    clearTimeout(editing);
    stop();
    follow();
    unwatch();
  } };
}
