// The card of the editor of Go that has questions about marked chains answered, and walks through the proof.

import { button, h, newId, say, show, toast } from "../dom.js";
import { count, decimal, sentence } from "../format.js";
import { sideName } from "../gameboard.js";
import { t, tn } from "../language.js";
import { VERDICTS } from "./tactics.js";

const GOALS = [["capture", t`Capture`, 1], ["defend", t`Defend`, 1], ["connect", t`Connect`, 2], ["cut", t`Keep apart`, 2],
  ["kill", t`Kill`, 1], ["live", t`Live`, 1]];
const BUDGETS = [30_000, 60_000, 300_000, 1_000_000];
const MOVES = [["generators", t`around the chains`], ["patterns", t`of patterns alone`], ["both", t`of patterns first`]];

const labelled = (label, field) => {
  field.id = newId("editor");
  return h("div", { class: "field" }, h("label", { for: field.id }, label), field);
};

/** The answer in words. */
function verdict({ verdict: found, proven, move, zone, ladder, nodes, seconds, out_of_time: late }) {
  const parts = [VERDICTS[found] || found, found !== "unknown" && (proven ? t`proven` : t`not proven`), move && t`move ${move}`,
    ladder && t`a ladder of ${ladder.length} moves`, zone && tn(zone.length, "zone of {0} point", "zone of {0} points"),
    late ? t`the time is used up` : t`${count(nodes)} nodes, ${decimal(seconds.toFixed(1))} s`];
  return parts.filter(Boolean).join(" \u00b7 ");
}

export function answerCard(session) {
  const budget = h("select", { name: "budget" }, BUDGETS.map((n) => h("option", { value: n }, count(n))));
  budget.value = "60000";
  const moves = h("select", { name: "moves" }, MOVES.map(([value, text]) => h("option", { value }, text)));
  const ask = (goal) => session.solve(goal, { budget: Number(budget.value), moves: moves.value });
  const goals = GOALS.map(([goal, label, chains]) => {
    const node = button(label, { "data-goal": goal, onclick: () => ask(goal) });
    node.chains = chains;
    return node;
  });
  const stop = button(t`Stop`, { glyph: "stop", onclick: () => {
    session.stop();
    session.changed();
  } });
  const [marks, words, trouble] = [h("p", { class: "small faint" }), h("p", { role: "status" }), h("p", { class: "problem", role: "alert", hidden: true })];
  const walk = button(t`Walk through the proof`, { onclick: () => session.walkProof(true) });
  const leave = button(t`Leave the proof`, { onclick: () => session.walkProof(false) });
  const back = button(t`One move back`, { glyph: "undo", onclick: () => session.walkBack() });
  const insert = button(t`Add it to the tree`, { glyph: "plus", onclick: () => {
    const done = session.insertProof();
    if (done) toast(done.all ? tn(done.made, "{0} node was added.", "{0} nodes were added.") : tn(done.made, "{0} node was added: the beginning of the proof.", "{0} nodes were added: the beginning of the proof."));
  } });
  const [turn, replies] = [h("p", { class: "small" }), h("div", { class: "row replies" })];
  const node = h("section", { class: "card stack", "aria-label": t`Tactics` }, h("header", {}, h("h2", {}, t`Tactics`), stop), marks,
    h("div", { class: "row" }, goals), h("div", { class: "fields narrow" }, labelled(t`Nodes`, budget), labelled(t`Attacks`, moves)),
    words, trouble, h("div", { class: "row" }, walk, insert, leave, back), turn, replies);
  node.draw = () => {
    const { marked, asking, refusal, isWalking, walk: walked } = session;
    const answer = session.answerHere();
    const proof = answer?.proof.length ?? 0;
    const region = session.region.points.length;
    const told = [marked.length ? t`Marked: ${marked.join(", ")}` : t`Mark one chain, or two chains of one colour, on the board.`,
      region > 0 && tn(region, "region of {0} point for Kill and Live", "region of {0} points for Kill and Live")];
    say(marks, told.filter(Boolean).join(" \u00b7 "));
    for (const one of goals) one.disabled = one.chains !== marked.length || Boolean(asking) || isWalking || !session.view || Boolean(session.view.fault);
    show(stop, Boolean(asking));
    say(words, asking ? t`It reads \u2026` : answer ? sentence(`${t`${sideName(answer.side)} to move`}: ${verdict(answer)}`) : "");
    show(words, Boolean(words.textContent));
    say(trouble, refusal);
    show(trouble, Boolean(refusal));
    show(walk, proof > 0 && !isWalking);
    show(insert, proof > 0);
    show(leave, isWalking);
    show(back, isWalking);
    back.disabled = !walked.length;
    show(turn, isWalking);
    show(replies, isWalking);
    if (!isWalking) return;
    const at = session.proofSide();
    const left = answer.proof_left_out > 0 && walked.length && walked.at(-1).next === null;
    say(turn, !at || !at.moves.length ? (left ? t`The rest of the proof is left out.` : t`The goal is reached.`)
      : sentence(at.attacker ? t`${sideName(at.side)} attacks:` : t`${sideName(at.side)} may reply; whatever is not in this list changes nothing, as a pass does:`));
    replies.replaceChildren(...session.proofMoves().map((one) => button(one.move === "pass" ? t`pass` : one.move, { "data-reply": one.move, onclick: () => session.walkOn(one) })));
  };
  return node;
}
