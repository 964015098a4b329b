// The cards of the page of two-player games: the board, its rules, the moves, the machine's side.

import { attr, button, careful, h, say, saveAs, show, toast } from "../dom.js";
import { count, decimal, titleOf } from "../format.js";
import { GameBoard, sideName, stones } from "../gameboard.js";
import { GAME_FILES, gameText } from "../gamefile.js";
import { GAMES } from "../gamesession.js";
import { t, tc, tn } from "../language.js";
import { state } from "../live.js";
import { PLAYERS, isChoice, moveText, movesText, openingText } from "../opening.js";
import { refusal } from "./fields.js";
import { choice, input, listed } from "./gamefields.js";
import { keysList } from "./gamekeys.js";
import { openingChoices } from "./openingchoices.js";
import { failed } from "./parts.js";
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
  const board = new GameBoard({ label: t`Board`, pick: (name) => session.pick(name), point: (name) => session.point(name) });
  const [title, turn, trouble] = [h("h2", {}, ""), h("p", { class: "prompt", role: "status" }), h("div", { hidden: true })];
  const choices = openingChoices(session, board);
  const undo = button(t`Undo`, { glyph: "undo", onclick: () => session.undo() });
  const redo = button(t`Redo`, { glyph: "redo", onclick: () => session.redo() });
  const pass = button(t`Pass`, { onclick: () => session.play("pass") });
  const anew = careful(t`New game`, t`Really a new game?`, () => session.anew(), { glyph: "restart", asks: () => session.isInProgress() });
  const keys = keysList();
  const tools = h("div", { class: "segmented small", role: "group", "aria-label": t`Set up` }, TOOLS.map(([value, text]) =>
    h("button", { type: "button", "data-tool": value, onclick: () => session.take(value) }, text)));
  const swap = button(t`Other side to move`, { onclick: () => session.edit(session.view.cells, session.view.side === "black" ? "white" : "black") });
  const node = h("section", { class: "card stack", "aria-label": t`Board` }, h("header", {}, title), trouble, board.element, turn, choices,
    h("div", { class: "row" }, undo, redo, pass, anew, tools, swap), keys);
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
      moves: found?.moves || analysed, best: found && !session.hinted ? found.best_moves : best, ...session.shownLine() });
    say(title, titleOf(view.title));
    say(turn, prompt(session, session.isOver()));
    show(pass, !tool && !session.isMachinesTurn() && view.legal.includes("pass"));
    show(swap, Boolean(tool));
    choices.draw();
    // A position that is set up has no opening.
    show(tools, !view.opening || view.opening.turn === "play");
  };
  node.key = (key) => {
    const which = choices.key(key) || { u: undo, r: redo, p: pass, n: anew }[key];
    if (which && !which.disabled && !which.hidden) which.click();
    return Boolean(which) || keys.key(key);
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
  const halt = button(t`Stop`, { glyph: "stop", onclick: () => session.halt() });
  const [words, trouble] = [h("p", { class: "small", role: "status" }), h("p", { class: "problem", role: "alert", hidden: true })];
  const node = h("section", { class: "card stack", "aria-label": t`The machine` }, h("header", {}, h("h2", {}, t`Play against the machine`), h("div", { class: "row" }, halt, hint)),
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
    show(halt, thinking);
    say(words, thinking ? t`It thinks \u2026` : session.halted || (told ? opinion(told, hinted) : machine ? "" : t`Choose its side, or play for both and ask for hints.`));
    say(trouble, refusal(session.refusal).text);
    show(trouble, Boolean(session.refusal));
  };
  node.key = (key) => {
    const by = { "+": 1, "=": 1, "-": -1, "\u2212": -1 }[key];
    if (by) session.shiftLevel(by);
    else if (key === "h" && !hint.disabled) hint.click();
    return Boolean(by) || key === "h";
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
