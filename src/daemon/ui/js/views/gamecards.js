// The cards of the page of two-player games: the board, its rules, the moves, the machine's side, the form that has it solved,
// and the job that does.

import { newKey, post } from "../api.js";
import { attr, button, h, newId, say, saveAs, show, toast } from "../dom.js";
import { count, decimal, titleOf } from "../format.js";
import { GameBoard, between, sideName, stones } from "../gameboard.js";
import { GAME_FILES, gameText } from "../gamefile.js";
import { GAMES } from "../gamesession.js";
import { t, tc, tn } from "../language.js";
import { state } from "../live.js";
import { PLAYERS, isChoice, moveText, movesText, openingText } from "../opening.js";
import { amount, seconds } from "../settings.js";
import { refusal } from "./fields.js";
import { openingChoices } from "./openingchoices.js";
import { failed, pill } from "./parts.js";
import { verdict } from "./solution.js";
import { marked } from "./values.js";

/** The settings of the rules: name, label, values; an empty value is the default. */
const RULES = {
  reversi: [["start", t`Start`, [["", t`crosswise`], ["alternative", t`side by side`]]],
    ["empties", t`Empty cells count for`, [["ignored", t`nobody`], ["winner", t`the winner`]]]],
  go: [["ko", t`Ko`, [["", tc("ko", "basic")], ["superko", t`superko`], ["free", tc("ko", "none")]]],
    ["cycle", t`A game that repeats`, [["", t`is a tie`], ["lost-for-black", t`is lost for black`], ["lost-for-white", t`is lost for white`]]],
    ["suicide", t`Suicide`, [["", t`forbidden`], ["on", t`allowed`]]]],
  gomoku: [["rule", t`Rows that win`, [["", t`exactly that long`], ["free", t`at least that long`], ["renju", "renju"], ["caro", "caro"]]],
    ["win", t`Length`, [["", "5"], ["3", "3"], ["4", "4"], ["6", "6"]]]],
};
const TOOLS = [["", tc("instead of setting up", "Play")], ["X", t`Black`], ["O", t`White`], [".", t`Empty`]];

/** A field with its label, its help, and a place for what is wrong with it. */
function labelled(label, kind, props, help, ...content) {
  const id = newId("solve");
  const trouble = h("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
  const field = h(kind, { id, "aria-describedby": trouble.id, ...props }, ...content);
  return { field, node: h("div", { class: "field" }, h("label", { for: id }, label), field, trouble, help && h("p", { class: "help" }, help)),
    complain: (text) => {
      say(trouble, text);
      show(trouble, Boolean(text));
      attr(field, "aria-invalid", text ? "true" : null);
    } };
}

function input(label, props, help) {
  return labelled(label, "input", { autocomplete: "off", spellcheck: "false", ...props }, help);
}

const listed = (options) => options.map(([value, what]) => h("option", { value }, what));

function choice(label, options, onchange, props = {}, help = null) {
  return labelled(label, "select", { onchange, ...props }, help, listed(options));
}

/** Whose turn it is and what can be played, in words. */
function prompt(session, over) {
  const { view, tool } = session;
  const [counts, side] = [stones(view.cells), sideName(view.side)];
  if (tool) return t`Setting up: ${counts}, ${side} to move`;
  if (view.opening && view.opening.turn !== "play") return openingText(session);
  const whose = view.opening ? ` \u00b7 ${openingText(session)}` : "";
  if (!over) return t`${side} to move, ${tn(view.legal.length, "{0} legal move", "{0} legal moves")} \u00b7 ${counts}` + whose;
  const winner = sideName(view.outcome > 0 === (view.side === "black") ? "black" : "white");
  const won = () => (view.game === "gomoku" ? t`${winner} wins` : t`${winner} wins by ${Math.abs(view.outcome)}`);
  return t`The game is over: ${view.outcome === 0 ? t`a draw` : won()} (${counts})` + whose;
}

/** The board with its buttons. */
export function boardCard(session) {
  const board = new GameBoard({ label: t`Board`, pick: (name) => session.pick(name) });
  const [title, turn, trouble] = [h("h2", {}, ""), h("p", { class: "prompt", role: "status" }), h("div", { hidden: true })];
  const choices = openingChoices(session, board);
  const undo = button(t`Undo`, { glyph: "undo", onclick: () => session.undo() });
  const redo = button(t`Redo`, { glyph: "redo", onclick: () => session.redo() });
  const pass = button(t`Pass`, { onclick: () => session.play("pass") });
  const tools = h("div", { class: "segmented small", role: "group", "aria-label": t`Set up` }, TOOLS.map(([value, text]) =>
    h("button", { type: "button", "data-tool": value, onclick: () => session.take(value) }, text)));
  const swap = button(t`Other side to move`, { onclick: () => session.edit(session.view.cells, session.view.side === "black" ? "white" : "black") });
  const node = h("section", { class: "card stack", "aria-label": t`Board` }, h("header", {}, title), trouble, board.element, turn, choices,
    h("div", { class: "row" }, undo, redo, pass, tools, swap));
  let told = null;
  node.draw = () => {
    const { view, tool, played, undone, problem } = session;
    if (problem !== told) {
      told = problem;
      const again = problem?.unreachable ? () => session.ask() : null;
      trouble.replaceChildren(...(problem ? [failed({ message: refusal(problem.message).text }, again)] : []));
      show(trouble, Boolean(problem));
    }
    for (const one of tools.children) attr(one, "aria-pressed", String(one.dataset.tool === (tool || "")));
    undo.disabled = !played.length;
    redo.disabled = !undone.length;
    if (!view || view.game !== session.game) return;
    const found = tool ? null : session.solution();
    const analysed = session.analysis?.moves.map((one) => marked(one, session.game)) || [];
    const best = session.hinted ? session.thought.line.slice(0, session.thought.own) : analysed.slice(0, 1).map(({ name }) => name);
    const last = played.findLast((name) => !isChoice(name));
    board.draw(view, { legal: tool || session.isMachinesTurn() ? [] : view.legal, editing: Boolean(tool), last, marked: tool ? [] : view.won,
      moves: found?.moves || analysed, best: found && !session.hinted ? found.best_moves : best });
    say(title, titleOf(view.title));
    say(turn, prompt(session, session.isOver()));
    show(pass, !tool && !session.isMachinesTurn() && view.legal.includes("pass"));
    show(swap, Boolean(tool));
    choices.draw();
    // A position that is set up has no opening.
    show(tools, !view.opening || view.opening.turn === "play");
  };
  node.key = (key) => {
    const which = { u: undo, r: redo, p: pass }[key] || choices.key(key);
    if (which && !which.disabled && !which.hidden) which.click();
  };
  return node;
}

/** What the machine has told about a move, or about its part of an opening, in words. */
function opinion({ side, line, own, value, decided_in: decided, known, depth, nodes, seconds: time }, hinted) {
  const moves = movesText(line.slice(0, own));
  const played = () => (side === "black" ? t`Black played ${moves}` : t`White played ${moves}`);
  const head = own > 1 || isChoice(line[0]) ? (hinted ? t`Hint: ${moves}` : t`The machine: ${moves}`) : hinted ? t`A hint for ${sideName(side)}: ${moves}` : played();
  const expected = line.length > own ? t`, and expects ${line.slice(own, own + 5).join(" ")}` : "";
  const within = () => (value > 0 ? tn(decided, "; it wins within {0} move", "; it wins within {0} moves of both sides")
    : tn(decided, "; it loses within {0} move", "; it loses within {0} moves of both sides"));
  const proven = () => (value > 0 ? t`; it wins, as a plan proves` : t`; it loses, as a plan proves`);
  const sure = known ? proven() : decided === null ? "" : value === 0 ? t`; it is a draw` : within();
  const looked = nodes > 1 ? ` ${t`It looked ${depth} ahead, at ${count(nodes)} positions in ${decimal(time.toFixed(1))} s.`}` : nodes === 0 ? ` ${t`It did not have to search.`}` : "";
  return `${head}${expected}${sure}.${looked}`;
}

/** How many threads can be chosen: as many as there are workers, by doubling, and what is chosen already. */
function threadChoices(chosen) {
  const doubled = Array.from({ length: 9 }, (_, n) => 2 ** n).filter((n) => n <= Math.max(state.workers.length, 1));
  return [...new Set([...doubled, chosen])].sort((a, b) => a - b);
}

/** Which side the machine plays, and how; a hint. */
export function opponentCard(session) {
  const seats = (opening) => [["", tc("the machine's side", "nobody")], ...(opening ? Object.entries(PLAYERS) : ["white", "black"].map((side) => [side, sideName(side)])),
    ["both", t`both sides`]];
  let offered = "";
  const sides = choice(t`It plays`, seats(""), () => session.seat({ machine: sides.field.value }), { name: "machine" });
  const brains = choice(t`Player`, GAMES.gomoku.brains, () => session.seat({ brain: brains.field.value }), { name: "brain" });
  const levels = choice(t`Level`, Array.from({ length: 10 }, (_, n) => [n + 1, n === 9 ? t`10, the strongest` : n === 0 ? t`1, the weakest` : n + 1]),
    () => session.seat({ level: Number(levels.field.value) }), { name: "level" });
  const times = choice(t`Time for a move`, [0.3, 1, 2, 5, 10].map((n) => [n, `${decimal(n)} s`]),
    () => session.seat({ think: Number(times.field.value) }), { name: "think" });
  const threads = choice(t`Threads`, [], () => session.seat({ threads: Number(threads.field.value) }), { name: "threads" });
  const hint = button(t`Hint`, { onclick: () => session.consult(false) });
  const [words, trouble] = [h("p", { class: "small", role: "status" }), h("p", { class: "problem", role: "alert", hidden: true })];
  const node = h("section", { class: "card stack", "aria-label": t`The machine` }, h("header", {}, h("h2", {}, t`Play against the machine`), hint),
    h("div", { class: "fields narrow" }, sides.node, brains.node, levels.node, times.node, threads.node), words, trouble);
  node.draw = () => {
    const { game, machine, brain, level, think, thinking, hinted, opening } = session;
    if (opening !== offered) sides.field.replaceChildren(...listed(seats(opening)));
    offered = opening;
    const told = session.opinion();
    show(node, Boolean(GAMES[game].machine));
    show(brains.node, Boolean(GAMES[game].brains));
    [sides.field.value, brains.field.value, levels.field.value, times.field.value] = [machine, brain, level, think];
    const offers = threadChoices(session.threads);
    if (offers.length !== threads.field.length) threads.field.replaceChildren(...listed(offers.map((n) => [n, n])));
    threads.field.value = session.threads;
    show(threads.node, Boolean(GAMES[game].threads) && offers.length > 1);
    hint.disabled = thinking || !session.view || Boolean(session.tool) || session.isOver();
    say(words, thinking ? t`It thinks \u2026` : told ? opinion(told, hinted) : machine ? "" : t`Choose its side, or play for both and ask for hints.`);
    say(trouble, refusal(session.refusal).text);
    show(trouble, Boolean(session.refusal));
  };
  return node;
}

/** Whether a text with a position says how large the board is: lines of Reversi and moves do not. */
const saysSize = (game, text) => game !== "reversi" && (game === "go" || !/[a-t]\d/i.test(text));

/** The size, the rules, and the position as text. */
export function rulesCard(session) {
  const size = input(t`Board`, { type: "text", pattern: "[0-9]+(x[0-9]+)?" });
  size.field.addEventListener("change", () => session.change({ size: size.field.value.trim(), position: undefined }));
  const rules = h("div", { class: "fields narrow" });
  const position = input(t`Position as text`, { type: "text", class: "mono", "aria-label": t`Position as text` });
  const text = position.field;
  text.addEventListener("change", () => session.change({ start: undefined,
    size: saysSize(session.game, text.value) ? undefined : session.settings.size, position: text.value.trim() || undefined }));
  const node = h("section", { class: "card stack", "aria-label": t`Rules` }, h("h2", {}, t`Board and rules`), rules,
    position.node);
  let shown = null;
  const offer = (game) => {
    if (shown === game) return;
    shown = game;
    rules.replaceChildren(size.node, ...RULES[game].map(([name, label, options]) => choice(label, options, (event) =>
      session.change({ [name]: event.target.value || undefined, ...(name === "start" ? { position: undefined } : {}) }), { name }).node),
    ...(GAMES[game].openings ? [choice(t`Opening`, GAMES[game].openings, (event) => session.openWith(event.target.value), { name: "opening" },
      t`Swap2: one player puts three stones, the other one chooses a colour.`).node] : []));
  };
  node.draw = () => {
    const { game, settings, view, problem } = session;
    offer(game);
    const told = refusal(problem?.message || "");
    size.complain(told.name === "size" ? told.text : "");
    position.complain(told.name === "position" ? told.text : "");
    if (document.activeElement !== size.field) size.field.value = settings.size || (view ? `${view.width}x${view.height}` : "");
    size.field.title = GAMES[game].sizes;
    for (const one of rules.querySelectorAll("select")) one.value = one.name === "opening" ? session.opening : settings[one.name] || (one.name === "empties" ? "ignored" : "");
    if (view && view.game === game && document.activeElement !== text) text.value = view.position;
  };
  return node;
}

/** The moves played. */
export function movesCard(session) {
  const list = h("ol", { class: "movelist mono", tabindex: 0, "data-empty": t`No move yet.`, "aria-label": t`Moves` });
  const save = button(t`Save`, { glyph: "save", onclick: () => saveAs(session.view.saved, `${session.game}.${session.view.saved_as}`) });
  const choose = h("input", { type: "file", accept: GAME_FILES, name: "game-file", class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => {
    if (choose.files.length) open(choose.files[0]);
    choose.value = "";
  } });
  const load = button(t`Open`, { glyph: "open", onclick: () => choose.click() });
  const open = async (file) => {
    try {
      session.open(await gameText(file));
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  const node = h("section", { class: "card", "aria-label": t`Moves` },
    h("header", {}, h("h2", {}, t`Moves`), h("div", { class: "row" }, load, save, choose)), list);
  node.open = open;
  node.draw = () => {
    save.disabled = !session.played.length || !session.view?.saved;
    list.replaceChildren(...session.played.map((name) => h("li", { class: isChoice(name) ? "chosen" : "" }, moveText(name))));
    list.scrollTop = list.scrollHeight;
  };
  return node;
}

/** The job that solves a position of this game. */
export function jobCard(session) {
  const [status, value, words, link] = [pill(), h("strong", { class: "score num" }), h("p", {}), h("a", {}, "")];
  const other = h("p", { class: "faint small", hidden: true }, t`The job solves another position than the one on the board; the values belong to that one.`);
  const node = h("section", { class: "card stack", "aria-label": t`Solver`, hidden: true }, h("header", {}, h("h2", {}, t`Solver`), status),
    h("div", { class: "row base" }, value, words), other, h("p", {}, link));
  node.draw = () => {
    const now = session.currentJob();
    show(node, Boolean(now?.solution));
    if (!now?.solution) return;
    status.set(now);
    say(value, between(now.solution.lower, now.solution.upper));
    say(words, verdict(now.solution));
    attr(link, "href", `#/jobs/${now.id}`);
    say(link, t`Job ${now.id}: ${now.name}`);
    show(other, !session.solution());
  };
  return node;
}

/** What can be asked of the solver besides its goal. */
const solverFields = () => ({
  workers: input(t`Workers at once`, { type: "number", name: "workers", placeholder: tc("workers", "all"), min: 1, step: 1 }),
  seconds: input(t`Time`, { type: "text", name: "seconds", placeholder: t`no limit`, pattern: "([0-9.]+[smhd]?)+" }, "30m, 12h"),
  user: input(t`Credit goes to`, { type: "text", name: "user", placeholder: "local", maxlength: 64 }),
  memory: input(t`Memory per worker`, { type: "text", name: "memory", placeholder: "64M", pattern: "[0-9]+[kKMG]?" }),
  unit_budget: input(t`Nodes per unit`, { type: "text", name: "unit_budget", placeholder: "20M", pattern: "[0-9_]+[kMG]?" }),
  initial_depth: input(t`Plies before units`, { type: "number", name: "initial_depth", placeholder: "0", min: 0, max: 60, step: 1 }),
  quorum: input(t`Workers that must agree`, { type: "number", name: "quorum", placeholder: "1", min: 1, max: 9, step: 1 }),
  priority: input(t`Priority`, { type: "number", name: "priority", placeholder: "0", min: -100, max: 100, step: 1 }),
  name: input(t`Name`, { type: "text", name: "name", placeholder: t`made from the position`, maxlength: 80 }),
});

/** The form that submits a solver job for the position at hand. */
export function solveCard(session) {
  const goal = choice(t`Find out`, [["exact", t`the value`], ["win-loss-draw", t`who wins`], ["threshold", t`whether it is at least \u2026`]],
    () => show(threshold.node, goal.field.value === "threshold"), { name: "goal" });
  const threshold = input(t`At least`, { type: "number", name: "threshold", value: 1, step: 1, min: -1000, max: 1000 });
  show(threshold.node, false);
  const fields = solverFields();
  const trouble = h("p", { class: "problem", role: "alert", hidden: true });
  const playOnly = h("p", { class: "help", hidden: true }, t`Boards larger than 7x7 are for play: the solver does not take them.`);
  const send = button(t`Solve this position`, { kind: "main", type: "submit", glyph: "hunt" });
  const more = h("details", {}, h("summary", {}, t`More`),
    h("div", { class: "fields narrow" }, ["user", "memory", "unit_budget", "initial_depth", "quorum", "priority", "name"].map((n) => fields[n].node)));
  const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); submit(); } },
    h("div", { class: "fields narrow" }, goal.node, threshold.node, fields.workers.node, fields.seconds.node),
    more, trouble, playOnly, h("div", {}, send));
  const node = h("section", { class: "card stack", "aria-label": t`Solve` }, h("h2", {}, t`Solve`), form);
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
    for (const name of ["quorum", "initial_depth"]) if (given(name)) settings[name] = Number(given(name));
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
