// The card of the editor of Go that looks the corners of the board up in a dictionary of joseki, a file of the user.

import { button, h, say, show, toast } from "../dom.js";
import { LARGEST_DICTIONARY } from "../editorsession.js";
import { count } from "../format.js";
import { sideName } from "../gameboard.js";
import { t, tn } from "../language.js";

const CORNERS = { "upper right": t`upper right`, "lower right": t`lower right`, "lower left": t`lower left`, "upper left": t`upper left` };
const MARKS = { bad: t`bad`, doubtful: t`doubtful`, interesting: t`interesting`, good: t`good` };

export function josekiCard(session) {
  const [source, words] = [h("p", { class: "small faint" }), h("p", { class: "small", role: "status" })];
  const corners = h("div", { class: "stack" });
  const file = h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", name: "joseki-file", accept: ".sgf", onchange: async () => {
    const [chosen] = file.files;
    file.value = "";
    if (!chosen) return;
    if (chosen.size > LARGEST_DICTIONARY) toast(t`The file is larger than 3 MiB, which is more than the editor takes.`, "bad");
    else {
      session.takeDictionary({ name: chosen.name, text: await chosen.text() });
      await look();
    }
  } });
  const look = async () => {
    try {
      await session.lookUp();
    } catch (problem) {
      toast(problem.message, "bad");
    }
  };
  const ask = button(t`Look the corners up`, { kind: "main", onclick: look });
  const node = h("section", { class: "card stack", "aria-label": t`Joseki` },
    h("header", {}, h("h2", {}, t`Joseki`), h("div", { class: "row" }, button(t`Open`, { glyph: "open", onclick: () => file.click() }), file)),
    source, words, corners, h("div", { class: "row" }, ask));
  /** A move of the dictionary: it can be played if it is that side's turn. */
  const moveRow = ({ side, move, mark, remark, positions }) => {
    const act = button(move ?? t`elsewhere`, { "data-joseki": move ?? "", onclick: async () => {
      session.play(move ?? "pass");
      await look();
    } });
    act.disabled = side !== session.view.side || !session.view.legal.includes(move ?? "pass");
    const told = [sideName(side), tn(positions, "{0} position", "{0} positions"), MARKS[mark], remark.split("\n")[0]];
    return h("div", { class: "row", title: remark }, act, h("span", { class: "small" }, told.filter(Boolean).join(" \u00b7 ")));
  };
  let drawn = null;
  node.draw = () => {
    const { dictionary, isWalking, view, isReady } = session;
    const found = session.josekiHere();
    say(source, !dictionary ? t`A dictionary is a file in SGF whose variations are sequences in one corner.`
      : found ? `${dictionary.name} \u00b7 ${t`positions: ${count(found.positions)}`}` : dictionary.name);
    ask.disabled = !dictionary || isWalking || !view || Boolean(view.fault);
    show(words, Boolean(found) && !found.corners.length);
    say(words, t`No corner is in it.`);
    show(corners, Boolean(found) && isReady);
    if (!found || !isReady || drawn === found) return;
    drawn = found;
    corners.replaceChildren(...found.corners.map(({ corner, lines, moves }) => h("div", { class: "stack" },
      h("h3", {}, `${CORNERS[corner] ?? corner} \u00b7 ${tn(lines, "the same on {0} line", "the same on {0} lines")}`), ...moves.map(moveRow))));
  };
  return node;
}
