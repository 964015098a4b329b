// The cards of the page of two-player games: the board, its rules, the moves, the machine's side, the form that has it solved,
// and the job that does.

import { newKey, post } from "../api.js";
import { attr, button, h, newId, say, saveAs, show, toast } from "../dom.js";
import { GameBoard, between } from "../gameboard.js";
import { GAME_FILES, gameText } from "../gamefile.js";
import { GAMES } from "../gamesession.js";
import { amount, seconds } from "../settings.js";
import { refusal } from "./fields.js";
import { failed, pill } from "./parts.js";
import { verdict } from "./solution.js";

/** The settings of the rules: name, label, values; an empty value is the default. */
const RULES = {
  reversi: [["start", "Start", [["", "crosswise"], ["alternative", "side by side"]]],
    ["empties", "Empty cells count for", [["ignored", "nobody"], ["winner", "the winner"]]]],
  go: [["ko", "Ko", [["", "basic"], ["superko", "superko"], ["free", "none"]]],
    ["cycle", "A game that repeats", [["", "is a tie"], ["lost-for-black", "is lost for black"], ["lost-for-white", "is lost for white"]]],
    ["suicide", "Suicide", [["", "forbidden"], ["on", "allowed"]]]],
  gomoku: [["rule", "Rows that win", [["", "exactly that long"], ["free", "at least that long"], ["renju", "renju"], ["caro", "caro"]]],
    ["win", "Length", [["", "5"], ["3", "3"], ["4", "4"], ["6", "6"]]]],
};
const TOOLS = [["", "Play"], ["X", "Black"], ["O", "White"], [".", "Empty"]];

function input(label, props, help) {
  const id = newId("solve");
  const trouble = h("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
  const field = h("input", { id, autocomplete: "off", spellcheck: "false", "aria-describedby": trouble.id, ...props });
  return { field, node: h("div", { class: "field" }, h("label", { for: id }, label), field, trouble, help && h("p", { class: "help" }, help)),
    complain: (text) => {
      say(trouble, text);
      show(trouble, Boolean(text));
      attr(field, "aria-invalid", text ? "true" : null);
    } };
}

function choice(label, options, onchange, props = {}) {
  const id = newId("solve");
  const field = h("select", { id, onchange, ...props }, options.map(([value, what]) => h("option", { value }, what)));
  return { field, node: h("div", { class: "field" }, h("label", { for: id }, label), field) };
}

/** Whose turn it is and what can be played, in words. */
function prompt({ view, tool }, over) {
  const number = (mark) => [...view.cells].filter((c) => c === mark).length;
  const counts = `${number("X")} black, ${number("O")} white`;
  if (tool) return `Setting up: ${counts}, ${view.side} to move`;
  if (!over) return `${view.side} to move, ${view.legal.length === 1 ? "1 legal move" : `${view.legal.length} legal moves`} \u00b7 ${counts}`;
  const winner = view.outcome > 0 === (view.side === "black") ? "black" : "white";
  const margin = view.game === "gomoku" ? "" : ` by ${Math.abs(view.outcome)}`;
  return `The game is over: ${view.outcome === 0 ? "a draw" : `${winner} wins${margin}`} (${counts})`;
}

/** The board with its buttons. */
export function boardCard(session) {
  const board = new GameBoard({ label: "Board", pick: (name) => session.pick(name) });
  const [title, turn, trouble] = [h("h2", {}, ""), h("p", { class: "prompt", role: "status" }), h("div", {})];
  const undo = button("Undo", { glyph: "undo", onclick: () => session.undo() });
  const redo = button("Redo", { glyph: "redo", onclick: () => session.redo() });
  const pass = button("Pass", { onclick: () => session.play("pass") });
  const tools = h("div", { class: "segmented small", role: "group", "aria-label": "Set up" }, TOOLS.map(([value, text]) =>
    h("button", { type: "button", "data-tool": value, onclick: () => session.take(value) }, text)));
  const swap = button("Other side to move", { onclick: () => session.edit(session.view.cells, session.view.side === "black" ? "white" : "black") });
  const node = h("section", { class: "card stack", "aria-label": "Board" }, h("header", {}, title), trouble, board.element, turn,
    h("div", { class: "row" }, undo, redo, pass, tools, swap));
  let told = null;
  node.draw = () => {
    const { view, tool, played, undone, problem } = session;
    if (problem !== told) {
      told = problem;
      const again = problem?.unreachable ? () => session.ask() : null;
      trouble.replaceChildren(...(problem ? [failed({ message: refusal(problem.message).text }, again)] : []));
    }
    for (const one of tools.children) attr(one, "aria-pressed", String(one.dataset.tool === (tool || "")));
    undo.disabled = !played.length;
    redo.disabled = !undone.length;
    if (!view || view.game !== session.game) return;
    const found = tool ? null : session.solution();
    const best = session.hinted ? [session.thought.line[0]] : found?.best_moves || [];
    board.draw(view, { legal: tool || session.isMachinesTurn() ? [] : view.legal, editing: Boolean(tool), last: played.at(-1),
      moves: found?.moves || [], best });
    say(title, view.title);
    say(turn, prompt(session, session.isOver()));
    show(pass, !tool && !session.isMachinesTurn() && view.legal.includes("pass"));
    show(swap, Boolean(tool));
  };
  node.key = (key) => {
    const which = { u: undo, r: redo, p: pass }[key];
    if (which && !which.disabled && !which.hidden) which.click();
  };
  return node;
}

/** What the machine has told about a move, in words. */
function opinion({ side, line, value, decided_in: decided, depth, nodes, seconds: time }, hinted) {
  const expected = line.length > 1 ? `, and expects ${line.slice(1, 6).join(" ")}` : "";
  const sure = decided === null ? "" : value === 0 ? "; it is a draw" : `; it ${value > 0 ? "wins" : "loses"} within ${decided === 1 ? "1 move" : `${decided} moves of both sides`}`;
  const looked = depth > 0 ? ` It looked ${depth} ahead, at ${nodes.toLocaleString("en")} positions in ${time.toFixed(1)} s.` : "";
  return `${hinted ? `A hint for ${side}:` : `${side === "black" ? "Black" : "White"} played`} ${line[0]}${expected}${sure}.${looked}`;
}

/** Which side the machine plays, and how; a hint. */
export function opponentCard(session) {
  const sides = choice("It plays", [["", "nobody"], ["white", "white"], ["black", "black"], ["both", "both sides"]],
    () => session.seat({ machine: sides.field.value }), { name: "machine" });
  const brains = choice("Player", GAMES.gomoku.brains, () => session.seat({ brain: brains.field.value }), { name: "brain" });
  const levels = choice("Level", Array.from({ length: 10 }, (_, n) => [n + 1, n === 9 ? "10, the strongest" : n === 0 ? "1, the weakest" : n + 1]),
    () => session.seat({ level: Number(levels.field.value) }), { name: "level" });
  const times = choice("Time for a move", [0.3, 1, 2, 5, 10].map((n) => [n, `${n} s`]),
    () => session.seat({ think: Number(times.field.value) }), { name: "think" });
  const hint = button("Hint", { onclick: () => session.consult(false) });
  const [words, trouble] = [h("p", { class: "small", role: "status" }), h("p", { class: "problem", role: "alert", hidden: true })];
  const node = h("section", { class: "card stack", "aria-label": "The machine" }, h("header", {}, h("h2", {}, "Play against the machine"), hint),
    h("div", { class: "fields narrow" }, sides.node, brains.node, levels.node, times.node), words, trouble);
  node.draw = () => {
    const { game, machine, brain, level, think, thinking, hinted } = session;
    const told = session.opinion();
    show(node, Boolean(GAMES[game].machine));
    show(brains.node, Boolean(GAMES[game].brains));
    [sides.field.value, brains.field.value, levels.field.value, times.field.value] = [machine, brain, level, think];
    hint.disabled = thinking || !session.view || Boolean(session.tool) || session.isOver();
    say(words, thinking ? "It thinks \u2026" : told ? opinion(told, hinted) : machine ? "" : "Choose its side, or play for both and ask for hints.");
    say(trouble, refusal(session.refusal).text);
    show(trouble, Boolean(session.refusal));
  };
  return node;
}

/** Whether a text with a position says how large the board is: lines of Reversi and moves do not. */
const saysSize = (game, text) => game !== "reversi" && (game === "go" || !/[a-t]\d/i.test(text));

/** The size, the rules, and the position as text. */
export function rulesCard(session) {
  const size = input("Board", { type: "text", pattern: "[0-9]+(x[0-9]+)?" });
  size.field.addEventListener("change", () => session.change({ size: size.field.value.trim(), position: undefined }));
  const rules = h("div", { class: "fields narrow" });
  const position = input("Position as text", { type: "text", class: "mono", "aria-label": "Position as text" });
  const text = position.field;
  text.addEventListener("change", () => session.change({ start: undefined,
    size: saysSize(session.game, text.value) ? undefined : session.settings.size, position: text.value.trim() || undefined }));
  const node = h("section", { class: "card stack", "aria-label": "Rules" }, h("h2", {}, "Board and rules"), rules,
    position.node);
  let shown = null;
  const offer = (game) => {
    if (shown === game) return;
    shown = game;
    rules.replaceChildren(size.node, ...RULES[game].map(([name, label, options]) => choice(label, options, (event) =>
      session.change({ [name]: event.target.value || undefined, ...(name === "start" ? { position: undefined } : {}) }), { name }).node));
  };
  node.draw = () => {
    const { game, settings, view, problem } = session;
    offer(game);
    const told = refusal(problem?.message || "");
    size.complain(told.name === "size" ? told.text : "");
    position.complain(told.name === "position" ? told.text : "");
    if (document.activeElement !== size.field) size.field.value = settings.size || (view ? `${view.width}x${view.height}` : "");
    size.field.title = GAMES[game].sizes;
    for (const one of rules.querySelectorAll("select")) one.value = settings[one.name] || (one.name === "empties" ? "ignored" : "");
    if (view && view.game === game && document.activeElement !== text) text.value = view.position;
  };
  return node;
}

/** The moves played. */
export function movesCard(session) {
  const list = h("ol", { class: "movelist mono", tabindex: 0, "aria-label": "Moves" });
  const save = button("Save", { glyph: "save", onclick: () => saveAs(session.view.saved, `${session.game}.${session.view.saved_as}`) });
  const choose = h("input", { type: "file", accept: GAME_FILES, name: "game-file", class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => {
    if (choose.files.length) open(choose.files[0]);
    choose.value = "";
  } });
  const load = button("Open", { glyph: "open", onclick: () => choose.click() });
  const open = async (file) => {
    try {
      session.open(await gameText(file));
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  const node = h("section", { class: "card", "aria-label": "Moves" },
    h("header", {}, h("h2", {}, "Moves"), h("div", { class: "row" }, load, save, choose)), list);
  node.open = open;
  node.draw = () => {
    save.disabled = !session.played.length || !session.view?.saved;
    list.replaceChildren(...session.played.map((name) => h("li", {}, name)));
    list.scrollTop = list.scrollHeight;
  };
  return node;
}

/** The job that solves a position of this game. */
export function jobCard(session) {
  const [status, value, words, link] = [pill(), h("strong", { class: "score num" }), h("p", {}), h("a", {}, "")];
  const other = h("p", { class: "faint small", hidden: true }, "The job solves another position than the one on the board; the values belong to that one.");
  const node = h("section", { class: "card stack", "aria-label": "Solver", hidden: true }, h("header", {}, h("h2", {}, "Solver"), status),
    h("div", { class: "row base" }, value, words), other, h("p", {}, link));
  node.draw = () => {
    const now = session.currentJob();
    show(node, Boolean(now?.solution));
    if (!now?.solution) return;
    status.set(now);
    say(value, between(now.solution.lower, now.solution.upper));
    say(words, verdict(now.solution));
    attr(link, "href", `#/jobs/${now.id}`);
    say(link, `Job ${now.id}: ${now.name}`);
    show(other, !session.solution());
  };
  return node;
}

/** What can be asked of the solver besides its goal. */
const solverFields = () => ({
  workers: input("Workers at once", { type: "number", name: "workers", placeholder: "all", min: 1, step: 1 }),
  seconds: input("Time", { type: "text", name: "seconds", placeholder: "no limit", pattern: "([0-9.]+[smhd]?)+" }, "30m, 12h"),
  user: input("Credit goes to", { type: "text", name: "user", placeholder: "local", maxlength: 64 }),
  memory: input("Memory per worker", { type: "text", name: "memory", placeholder: "64M", pattern: "[0-9]+[kKMG]?" }),
  unit_budget: input("Nodes per unit", { type: "text", name: "unit_budget", placeholder: "20M", pattern: "[0-9_]+[kMG]?" }),
  quorum: input("Workers that must agree", { type: "number", name: "quorum", placeholder: "1", min: 1, max: 9, step: 1 }),
  priority: input("Priority", { type: "number", name: "priority", placeholder: "0", min: -100, max: 100, step: 1 }),
  name: input("Name", { type: "text", name: "name", placeholder: "made from the position", maxlength: 80 }),
});

/** The form that submits a solver job for the position at hand. */
export function solveCard(session) {
  const goal = choice("Find out", [["exact", "the value"], ["win-loss-draw", "who wins"], ["threshold", "whether it is at least \u2026"]],
    () => show(threshold.node, goal.field.value === "threshold"), { name: "goal" });
  const threshold = input("At least", { type: "number", name: "threshold", value: 1, step: 1, min: -1000, max: 1000 });
  show(threshold.node, false);
  const fields = solverFields();
  const trouble = h("p", { class: "problem", role: "alert", hidden: true });
  const playOnly = h("p", { class: "help", hidden: true }, "Boards larger than 7x7 are for play: the solver does not take them.");
  const send = button("Solve this position", { kind: "main", type: "submit", glyph: "hunt" });
  const more = h("details", {}, h("summary", {}, "More"),
    h("div", { class: "fields narrow" }, ["user", "memory", "unit_budget", "quorum", "priority", "name"].map((n) => fields[n].node)));
  const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); submit(); } },
    h("div", { class: "fields narrow" }, goal.node, threshold.node, fields.workers.node, fields.seconds.node),
    more, trouble, playOnly, h("div", {}, send));
  const node = h("section", { class: "card stack", "aria-label": "Solve" }, h("h2", {}, "Solve"), form);
  node.draw = () => {
    const { view, tool, game } = session;
    if (!view || view.game !== game) return;
    send.disabled = !view.solvable || session.isOver() || Boolean(tool && !view.legal.length);
    show(playOnly, !view.solvable);
  };

  const request = () => {
    const given = (name) => fields[name].field.value.trim();
    const settings = session.question();
    if (goal.field.value === "threshold") settings.threshold = Number(threshold.field.value);
    else if (goal.field.value !== "exact") settings.value = goal.field.value;
    for (const name of ["user", "memory"]) if (given(name)) settings[name] = given(name);
    if (given("quorum")) settings.quorum = Number(given("quorum"));
    if (given("unit_budget")) settings.unit_budget = amount(given("unit_budget")) ?? given("unit_budget");
    const limits = {};
    if (given("workers")) limits.workers = Number(given("workers"));
    if (given("seconds")) limits.seconds = seconds(given("seconds"));
    const body = { kind: "solve", settings, limits };
    if (given("name")) body.name = given("name");
    if (given("priority")) body.priority = Number(given("priority"));
    return body;
  };
  let key = newKey();
  async function submit() {
    trouble.hidden = true;
    for (const one of [threshold, ...Object.values(fields)]) one.complain("");
    send.disabled = true;
    try {
      const job = await post("/jobs", request(), { "idempotency-key": key });
      key = newKey();
      session.follow(job);
    } catch (problem) {
      if (!problem.unreachable) key = newKey();
      const { name, text } = refusal(problem.message);
      const field = name === "threshold" ? threshold : fields[name];
      if (field) {
        more.open ||= more.contains(field.node);
        field.complain(text);
        field.field.focus();
      } else {
        say(trouble, text);
        trouble.hidden = false;
      }
    }
    send.disabled = false;
    session.changed();
  }
  return node;
}
