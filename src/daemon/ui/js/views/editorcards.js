// The cards of the editor of Go: the board with its tools, and the tree with its comments.

import { get } from "../api.js";
import { attr, button, h, newId, say, saveAs, show, toast } from "../dom.js";
import { GameBoard, sideName, stones } from "../gameboard.js";
import { moveOf, numberOf, wayTo } from "../gametree.js";
import { t, tc, tn } from "../language.js";
import { TreeDiagram } from "../treediagram.js";
import { failed } from "./parts.js";

const TOOLS = [["", tc("instead of setting up", "Play")], ["X", t`Black`], ["O", t`White`], [".", t`Empty`], ["mark", t`Mark`], ["part", t`Part`],
  ["region", t`Region`]];
const SAID = {
  mark: t`Click on a stone to mark its chain, and again to take the mark away.`,
  part: t`Click on two corners of the part of the board that a pattern is made of.`,
  region: t`Click on points, or drag over them, to mark where the attacker may play: Kill and Live take this region.`,
  dead: t`Click on a stone to mark its chain as dead, and again to take the mark away.`,
  seki: t`Click on a stone to mark its chain as in seki, and again to take the mark away.`,
};
/** The sizes of new boards. */
const SIZES = [5, 6, 7, 8, 9, 11, 13, 15, 17, 19];

/** Asks a question in a dialog: whether it was answered with yes. */
export function sure(question, yes) {
  return new Promise((done) => {
    const dialog = h("dialog", { "aria-label": question }, h("form", { class: "stack", method: "dialog" }, h("p", {}, question),
      h("div", { class: "row end" }, button(t`Cancel`, { onclick: () => dialog.close() }), button(yes, { kind: "main", onclick: () => dialog.close("yes") }))));
    dialog.addEventListener("close", () => {
      dialog.remove();
      done(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Whether the tree may be replaced: it is saved, or somebody says so. */
const mayReplace = async (session) => !session.unsaved || await sure(t`The game tree has changes that are not saved.`, t`Discard them`);

/** Opens a text or a file; a failure leaves everything as it was. `failed(message)` tells it. */
export async function openTree(session, content, name, told = (text) => toast(text, "bad")) {
  if (!(await mayReplace(session))) return false;
  try {
    const notices = await session.open(content, name);
    if (notices.length) toast(notices.slice(0, 3).join("\n"));
    return true;
  } catch (problem) {
    told(problem.message);
    return false;
  }
}

/** The bytes of a file, for the daemon knows their character set. */
export async function openFile(session, file, told) {
  return openTree(session, await file.arrayBuffer(), file.name, told);
}

/** The choice of an example problem; `done()` is called when one is open. */
function exampleChoice(session, told, done) {
  const list = h("select", { id: newId("example"), name: "example" }, h("option", { value: "" }, t`Choose\u2026`));
  let problems = null;
  list.addEventListener("change", async () => {
    const problem = problems[list.value];
    list.value = "";
    if (!problem || !(await mayReplace(session))) return;
    try {
      await session.openExample(problem);
      done();
    } catch (trouble) {
      told(trouble.message);
    }
  });
  const node = h("div", { class: "field" }, h("label", { for: list.id }, t`Example problem`), list);
  /** Asks the daemon for the problems, once. */
  node.fill = async () => {
    if (problems) return;
    try {
      const { items } = await get("/editor/examples");
      problems = items;
      list.append(...items.map(({ name }, n) => h("option", { value: n }, `${n + 1}  ${name}`)));
    } catch (trouble) {
      told(trouble.message);
    }
  };
  return node;
}

/** The dialog that opens a file or a text. */
export function openDialog(session) {
  const text = h("textarea", { rows: 6, id: newId("paste"), spellcheck: "false", placeholder: "(;GM[1]SZ[9];B[ee])" });
  const trouble = h("p", { class: "problem", role: "alert" });
  const told = (message) => say(trouble, message);
  const file = h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", name: "tree-file", accept: ".sgf", onchange: async () => {
    const [chosen] = file.files;
    if (chosen && await openFile(session, chosen, told)) dialog.close();
    file.value = "";
  } });
  const examples = exampleChoice(session, told, () => dialog.close());
  const dialog = h("dialog", { "aria-label": t`Open a game tree` }, h("form", { class: "stack", onsubmit: async (event) => {
    event.preventDefault();
    if (await openTree(session, text.value, "", told)) dialog.close();
  } }, h("h2", {}, t`Open a game tree`), h("label", { for: text.id }, t`A file in SGF, or its text`), text, examples, trouble,
  h("div", { class: "row spread" }, button(t`File\u2026`, { glyph: "open", onclick: () => file.click() }), file,
    h("div", { class: "row" }, button(t`Cancel`, { onclick: () => dialog.close() }), button(t`Open`, { kind: "main", type: "submit" })))));
  dialog.ask = () => {
    say(trouble, "");
    text.value = "";
    dialog.showModal();
    examples.fill();
  };
  return dialog;
}

/** What a node is, in words. */
function told(session) {
  const { at, view, walk, isWalking } = session;
  const zone = isWalking ? ` \u00b7 ${tn(session.zoneHere().length, "zone of {0} point", "zone of {0} points")}` : "";
  if (walk.length) return t`Proof, move ${walk.length}: ${sideName(walk.at(-1).side)} ${walk.at(-1).move}` + zone;
  const move = moveOf(at);
  const variations = at.children.length > 1 ? ` \u00b7 ${tn(at.children.length, "{0} variation", "{0} variations")}` : "";
  const what = move ? t`Move ${numberOf(at)}: ${sideName(move.side)} ${view.last ?? ""}` : at.parent ? t`Set up` : t`Start`;
  return `${what} \u00b7 ${t`${sideName(view.side)} to move`} \u00b7 ${stones(view.cells)}${variations}${zone}`;
}

/** The moves of a ladder with their numbers. */
const numbered = (ladder) => Object.fromEntries((ladder ?? []).map((name, n) => [name, String(n + 1)]));

/** The choice of an empty board. */
function sizeChoice(session) {
  const size = h("select", { "aria-label": t`New board` }, h("option", { value: "" }, t`New\u2026`), SIZES.map((n) => h("option", { value: n }, `${n}x${n}`)));
  size.addEventListener("change", async () => {
    const chosen = size.value;
    size.value = "";
    if (chosen && await mayReplace(session)) session.begin(chosen);
  });
  return size;
}

/** The board with what can be done on it. */
export function editorBoardCard(session, dialog) {
  const board = new GameBoard({ label: t`Board`, pick: (name) => session.pick(name), drag: (...told) => session.region.drag(...told) });
  const [title, words, hint, trouble] = [h("h2", { class: "cut" }, ""), h("p", { class: "prompt", role: "status" }), h("p", { class: "small faint" }), h("div", { hidden: true })];
  const step = (label, glyph, act) => button(label, { glyph, quiet: true, onclick: act });
  const first = step(t`To the start`, "first", () => session.toStart());
  const back = step(t`Back`, "back", () => session.back());
  const forth = step(t`Forward`, "forth", () => session.forward());
  const last = step(t`To the end`, "last", () => session.toEnd());
  const up = step(t`Variation above`, "up", () => session.beside(-1));
  const down = step(t`Variation below`, "down", () => session.beside(1));
  const pass = button(t`Pass`, { onclick: () => session.play("pass") });
  const tools = h("div", { class: "segmented small many", role: "group", "aria-label": t`What a click does` }, TOOLS.map(([value, text]) =>
    h("button", { type: "button", "data-tool": value, onclick: () => session.take(value) }, text)));
  const swap = button(t`Other side to move`, { onclick: () => session.swapSides() });
  const cut = button(t`Cut`, { glyph: "minus", onclick: () => node.cut() });
  const whole = button(t`Whole board`, { glyph: "fit", onclick: () => session.wholeBoard() });
  const clear = button(t`Clear the region`, { onclick: () => session.region.clear() });
  const save = button(t`Save`, { glyph: "save", onclick: async () => {
    try {
      saveAs(await session.text(), session.name || "game.sgf");
      session.saved();
    } catch (problem) {
      toast(t`The game tree cannot be saved: ${problem.message}`, "bad");
    }
  } });
  const node = h("section", { class: "card stack", "aria-label": t`Board` },
    h("header", {}, title, h("div", { class: "row" }, sizeChoice(session), button(t`Open`, { glyph: "open", onclick: () => dialog.ask() }), save)),
    trouble, board.element, words, h("div", { class: "row spread" }, h("div", { class: "row controls" }, first, back, forth, last, up, down), pass),
    h("div", { class: "row" }, tools, swap, cut, whole, clear), hint);
  let shown = null;
  /** Cuts the node at hand, after a question. */
  node.cut = async () => {
    const count = tn(session.below(), "Cut this node, and {0} node below it?", "Cut this node, and {0} nodes below it?");
    if (session.at.parent && !session.isWalking && await sure(count, t`Cut`)) session.cut();
  };
  node.draw = () => {
    const { at, view, problem, tool, walk, isWalking, part, corner, unsaved, name } = session;
    const fault = problem ?? (view?.fault ? { message: view.fault } : null);
    if (fault !== shown) {
      shown = fault;
      show(trouble, Boolean(fault));
      trouble.replaceChildren(...(fault ? [failed(fault, problem?.unreachable ? () => session.show() : null)] : []));
    }
    say(title, `${name || t`Game tree`}${unsaved ? " \u2022" : ""}`);
    title.title = unsaved ? t`not saved` : "";
    for (const one of tools.children) attr(one, "aria-pressed", String(one.dataset.tool === tool));
    first.disabled = back.disabled = !at.parent && !walk.length;
    forth.disabled = last.disabled = !at.children.length || isWalking;
    up.disabled = down.disabled = isWalking || !wayTo(at).some((one) => one.children.length > 1 && one !== at);
    cut.disabled = !at.parent || isWalking;
    swap.disabled = isWalking || !view || Boolean(view.fault);
    const { points: region, isOn: drags } = session.region;
    show(whole, Boolean(part));
    show(clear, region.length > 0);
    say(hint, isWalking ? t`Click on a move of the proof.` : SAID[tool] ?? "");
    show(hint, Boolean(hint.textContent));
    // What is shown stays until the daemon has told the position.
    if (!session.isReady) return;
    const answer = session.answerHere();
    const inProof = session.proofMoves().map(({ move }) => move);
    const next = isWalking ? inProof : at.children.map(moveOf).filter(Boolean).map(({ point }) => session.nameOf(point));
    const legal = isWalking ? inProof : tool ? [] : view.legal;
    pass.disabled = isWalking || Boolean(tool) || !view.legal.includes("pass");
    const attacks = isWalking && session.proofSide()?.attacker;
    const best = attacks ? inProof : answer?.move && !isWalking ? [answer.move] : [];
    const { score } = session;
    if (score.isOn) {
      board.draw(view, { editing: true, last: view.last, hints: [], dead: score.stones("dead"), marked: score.stones("seki"), owners: score.result?.owners ?? "" });
    } else {
      board.draw(view, { labels: isWalking ? {} : numbered(answer?.ladder), legal, editing: Boolean(tool) && !isWalking, last: view.last, hints: next, best, zone: session.zoneHere(),
        region, drags, shaded: session.shadedHere(), marked: session.markedStones(), part: corner ? { x: corner[0], y: corner[1], width: 1, height: 1 } : part });
    }
    say(words, told(session));
  };
  return node;
}

/** The tree of the game with the comment of the node at hand. */
export function treeCard(session) {
  const diagram = new TreeDiagram((node) => session.go(node), t`Game tree`);
  const games = h("select", { "aria-label": t`Game`, hidden: true, onchange: () => session.go(session.games[games.value]) });
  const comment = h("textarea", { rows: 3, id: newId("comment"), "aria-label": t`Comment`, placeholder: t`Comment`, oninput: () => session.comment(comment.value) });
  const node = h("section", { class: "card stack", "aria-label": t`Game tree` }, h("header", {}, h("h2", {}, t`Variations`), games), diagram.element, comment);
  node.draw = () => {
    const { at, first, stamp } = session;
    diagram.draw(first, at, stamp);
    show(games, session.games.length > 1);
    if (games.childElementCount !== session.games.length) games.replaceChildren(...session.games.map((_, n) => h("option", { value: n }, t`Game ${n + 1}`)));
    games.value = session.games.indexOf(first);
    // What is being typed stays.
    if (comment.value !== at.comment) comment.value = at.comment;
  };
  return node;
}
