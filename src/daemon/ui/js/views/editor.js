// The editor of Go: game trees in SGF are opened, walked, changed and saved, questions about marked chains are answered, finished games
// are counted, patterns are looked at, made and matched, corners are looked up in a dictionary.

import { h, toast } from "../dom.js";
import { editorSession } from "../editorsession.js";
import { takesDrops } from "../gridfile.js";
import { t } from "../language.js";
import { answerCard } from "./editoranswer.js";
import { editorBoardCard, openDialog, openFile, openTree, treeCard } from "./editorcards.js";
import { josekiCard } from "./editorjoseki.js";
import { patternsCard } from "./editorpatterns.js";
import { scoreCard } from "./editorscore.js";

export default function editor() {
  const session = editorSession();
  const opening = openDialog(session);
  const [board, tree, answer, score, patterns] = [editorBoardCard(session, opening), treeCard(session), answerCard(session), scoreCard(session), patternsCard(session)];
  const joseki = josekiCard(session);
  const cards = [board, tree, answer, score, joseki, patterns];
  session.changed = () => cards.forEach((card) => card.draw());
  session.warned = (text) => toast(text, "bad");
  const element = h("div", { class: "cards" }, h("h1", {}, t`Go editor`),
    h("div", { class: "two" }, h("div", { class: "cards" }, board, score, joseki), h("div", { class: "cards" }, tree, answer, patterns)), opening);
  const keys = { ArrowLeft: () => session.back(), ArrowRight: () => session.forward(), ArrowUp: () => session.beside(-1), ArrowDown: () => session.beside(1),
    Home: () => session.toStart(), End: () => session.toEnd(), Delete: () => board.cut() };
  const onkey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, dialog")) return;
    const inBoard = event.target.closest?.(".gameboard");
    // Who came to the board by the keyboard walks on it with the arrows, until Escape.
    if (inBoard && event.key === "Escape") event.target.blur();
    const act = keys[event.key];
    if (!act || (inBoard && event.key.startsWith("Arrow") && event.target.matches(":focus-visible"))) return;
    if (inBoard) event.target.blur();
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  const onpaste = (event) => {
    if (event.target.closest?.("input, textarea, dialog")) return;
    const text = event.clipboardData.getData("text");
    if (text.trim()) openTree(session, text, "");
  };
  const onleave = (event) => { if (session.unsaved || session.patternsUnsaved) event.preventDefault(); };
  document.addEventListener("keydown", onkey, true);
  document.addEventListener("paste", onpaste);
  // The session outlives the view, so only the page itself is asked about.
  removeEventListener("beforeunload", editor.onleave);
  editor.onleave = onleave;
  addEventListener("beforeunload", onleave);
  takesDrops(element, (file) => openFile(session, file));
  session.show();
  patterns.begin();
  return { element, title: t`Go editor`, page: "editor", destroy: () => {
    session.stop();
    session.changed = () => {};
    document.removeEventListener("keydown", onkey, true);
    document.removeEventListener("paste", onpaste);
  } };
}
