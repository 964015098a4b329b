// The card of the editor of Go with the patterns of a file, and the dialog that makes a pattern of the position at hand.

import { button, h, newId, say, saveAs, show, toast } from "../dom.js";
import { GameBoard } from "../gameboard.js";
import { t, tc, tn } from "../language.js";
import { sure } from "./editorcards.js";

const GOALS = { universal: tc("the goal of a pattern", "universal"), capture: t`capture`, connect: t`connect` };
const KINDS = { shape: tc("a kind of pattern", "shape"), tesuji: tc("a kind of pattern", "tesuji") };

/** What a pattern is called. */
const nameOf = ({ name }, number) => name || t`pattern ${number}`;

/** A pattern as a board: its main line is numbered, its targets have rings, other marks stand for several contents. */
function picture() {
  const board = new GameBoard({ label: t`Pattern` });
  const words = h("p", { class: "small faint" });
  const node = h("div", { class: "stack patternpicture" }, board.element, words);
  node.set = (pattern) => {
    const { width, height, cells, goal, kind, edges, targets, moves } = pattern;
    const labels = {};
    let number = 0;
    // Of each move the first answer.
    for (let at = moves.findIndex(({ parent }) => parent === null); at >= 0; at = moves.findIndex(({ parent }) => parent === at)) labels[moves[at].move] ||= String(++number);
    [...cells].forEach((cell, n) => {
      if (!".XO".includes(cell)) labels[`${"abcdefghjklmnopqrst"[n % width]}${height - Math.floor(n / width)}`] = cell;
    });
    board.draw({ game: "go", width, height, cells, side: "black" }, { labels, marked: targets });
    const wide = /[xo*?]/.test(cells) && t`x is black or empty, o white or empty, * black or white, ? anything`;
    const branches = moves.length > number && tn(moves.length, "{0} move in all", "{0} moves in all");
    say(words, [KINDS[kind], GOALS[goal], `${width}x${height}`, edges && t`on the edge: ${edges}`, branches, wide].filter(Boolean).join(" \u00b7 "));
  };
  return node;
}

/** The dialog that adds a pattern; `dialog.ask(tesuji)` opens it. */
function addDialog(session) {
  const field = (label, node) => {
    node.id = newId("pattern");
    return h("div", { class: "field" }, h("label", { for: node.id }, label), node);
  };
  const name = h("input", { type: "text", name: "pattern-name", maxlength: 200, autocomplete: "off" });
  const goal = h("select", { name: "pattern-goal" }, Object.entries(GOALS).map(([value, text]) => h("option", { value }, text)));
  const [inverted, edges] = ["inverted", "edges"].map((what) => h("input", { type: "checkbox", name: what }));
  const [title, part, trouble] = [h("h2", {}), h("p", { class: "small faint" }), h("p", { class: "problem", role: "alert" })];
  const shown = picture();
  const add = button(t`Add`, { kind: "main", type: "submit" });
  let [tesuji, number, found] = [false, 0, null];
  const look = async () => {
    const now = ++number;
    try {
      const answer = await session.tryPattern({ tesuji, name: name.value, goal: goal.value, inverted: inverted.checked, edges: edges.checked });
      if (now !== number) return;
      found = answer;
      say(trouble, "");
      shown.set(found.items.at(-1));
    } catch (problem) {
      if (now !== number) return;
      found = null;
      say(trouble, problem.message);
    }
    show(shown, Boolean(found));
    add.disabled = !found;
  };
  const dialog = h("dialog", { "aria-label": t`Add a pattern` }, h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    await look();
    if (!found) return;
    session.takePatterns(found);
    dialog.close();
    toast(t`The pattern was added; save the file to keep it.`);
  } }, title, part, h("div", { class: "fields narrow" }, field(t`Name`, name), field(t`Goal`, goal)),
  h("label", { class: "check" }, inverted, " ", t`exchange the colours: patterns are for black to play`),
  h("label", { class: "check" }, edges, " ", t`only on the edges of the board that it touches here`),
  shown, trouble, h("div", { class: "row end" }, button(t`Cancel`, { onclick: () => dialog.close() }), add)));
  for (const one of [name, goal, inverted, edges]) one.addEventListener("change", look);
  dialog.ask = (moves) => {
    tesuji = moves;
    const { part: area, marked, view } = session;
    say(title, tesuji ? t`Add a tesuji` : t`Add a shape`);
    say(part, `${area ? t`The framed part of the board, ${area.width}x${area.height}` : t`The whole board; the tool \u201cPart\u201d frames a part of it`}${marked.length ? ` \u00b7 ${t`Marked: ${marked.join(", ")}`}` : ""}`);
    inverted.checked = view?.side === "white";
    [found, add.disabled] = [null, true];
    show(shown, false);
    dialog.showModal();
    look();
  };
  return dialog;
}

export function patternsCard(session) {
  const list = h("select", { class: "jobname", "aria-label": t`Patterns`, onchange: () => node.draw() });
  const shown = picture();
  const source = h("p", { class: "small faint" });
  const adding = addDialog(session);
  const mayReplace = async () => !session.patternsUnsaved || await sure(t`The patterns have changes that are not saved.`, t`Discard them`);
  const load = async (text, name) => {
    if (!(await mayReplace())) return;
    try {
      const notices = await session.openPatterns(text, name);
      if (notices.length) toast(notices.slice(0, 3).join("\n"));
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  const file = h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", name: "pattern-file", accept: ".sgf", onchange: async () => {
    const [chosen] = file.files;
    if (chosen) await load(await chosen.text(), chosen.name);
    file.value = "";
  } });
  const own = button(t`Those of the program`, { onclick: () => load(null, "") });
  const empty = button(t`Empty file`, { onclick: () => load("(;GM[1])", "patterns.sgf") });
  const save = button(t`Save`, { glyph: "save", onclick: () => {
    saveAs(session.database.text, session.patternsName || "patterns.sgf");
    session.patternsSaved();
  } });
  const match = button(t`Match on the board`, { kind: "main", onclick: async () => {
    try {
      const done = await session.match();
      if (!done) return;
      const { moves } = done.found;
      toast(moves.length ? `${tn(moves.length, "{0} move is proposed", "{0} moves are proposed")}; ${tn(done.made, "{0} node was added.", "{0} nodes were added.")}` : t`No pattern fits here.`);
    } catch (problem) {
      toast(problem.message, "bad");
    }
  } });
  const shape = button(t`Add a shape\u2026`, { onclick: () => adding.ask(false) });
  const tesuji = button(t`Add a tesuji\u2026`, { onclick: () => adding.ask(true) });
  const node = h("section", { class: "card stack", "aria-label": t`Patterns` },
    h("header", {}, h("h2", {}, t`Patterns`), h("div", { class: "row" }, button(t`Open`, { glyph: "open", onclick: () => file.click() }), save, file)),
    source, list, shown, h("div", { class: "row" }, match, shape, tesuji), h("div", { class: "row" }, own, empty), adding);
  let drawn = null;
  node.draw = () => {
    const { database, patterns, patternsName, patternsUnsaved, isWalking, view } = session;
    show(own, Boolean(patterns));
    match.disabled = shape.disabled = isWalking || !view || Boolean(view.fault);
    tesuji.disabled = match.disabled || !session.at.children.length;
    save.disabled = !database;
    if (!database) return;
    const { items } = database;
    say(source, `${patterns ? patternsName || t`own patterns` : t`patterns of the program`}: ${tn(items.length, "file of {0} pattern", "file of {0} patterns")}${patternsUnsaved ? ` \u00b7 ${t`not saved`}` : ""}`);
    if (drawn !== database) {
      drawn = database;
      list.replaceChildren(...items.map((pattern, n) => h("option", { value: n }, `${n + 1}  ${nameOf(pattern, n + 1)}`)));
      if (patternsUnsaved) list.value = items.length - 1;
    }
    const chosen = items[Number(list.value)];
    show(list, items.length > 0);
    show(shown, Boolean(chosen));
    if (chosen) shown.set(chosen);
  };
  node.begin = () => { if (!session.database) load(null, ""); };
  return node;
}
