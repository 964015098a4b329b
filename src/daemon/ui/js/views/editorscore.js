// The card of the editor of Go that counts a finished game.

import { attr, button, h, newId, say, show } from "../dom.js";
import { decimal } from "../format.js";
import { sideName } from "../gameboard.js";
import { t, tn } from "../language.js";

const TOOLS = [["dead", t`Dead`], ["seki", t`Seki`]];
const RULES = [["", t`of the file`], ["territory", t`territory`], ["area", t`area`]];
const SIDES = ["black", "white"];

const labelled = (label, field) => {
  field.id = newId("score");
  return h("div", { class: "field" }, h("label", { for: field.id }, label), field);
};

/** Who has won, in words. */
function winner(result) {
  const [side, points] = result.split("+");
  if (!points) return t`Nobody wins`;
  return side === "B" ? t`Black wins by ${decimal(points)}` : t`White wins by ${decimal(points)}`;
}

/** The rows of the table: what is counted, of black, of white. */
function figures(found) {
  const { rules, komi } = found;
  const row = (what, key) => [what, ...SIDES.map((side) => decimal(found[side][key]))];
  const beside = rules === "area" ? [row(t`Living stones`, "living")] : [row(t`Captured stones`, "captured"), row(t`Dead stones taken`, "dead")];
  return [row(t`Territory`, "territory"), ...beside, [t`Komi`, "", decimal(komi)], row(t`Total`, "total")];
}

/** What the file says of the result. */
function inFile({ file_result: result, agrees }) {
  if (!result) return "";
  if (agrees === null) return t`The file has the result ${result}.`;
  return agrees ? t`The file has the same result, ${result}.` : t`The file has another result, ${result}.`;
}

export function scoreCard(session) {
  const { score } = session;
  const tools = h("div", { class: "segmented small", role: "group", "aria-label": t`What a click marks` }, TOOLS.map(([value, text]) =>
    h("button", { type: "button", "data-tool": value, onclick: () => session.take(session.tool === value ? "" : value) }, text)));
  const rules = h("select", { name: "rules" }, RULES.map(([value, text]) => h("option", { value }, text)));
  const komi = h("input", { name: "komi", inputmode: "decimal", maxlength: 6, size: 6, autocomplete: "off" });
  const chosen = () => score.terms({ rules: rules.value, komi: komi.value });
  rules.addEventListener("change", chosen);
  komi.addEventListener("input", chosen);
  const [words, rest, file, hint] = [h("p", { class: "prompt", role: "status" }), h("p", { class: "small faint" }), h("p", { class: "small" }), h("p", { class: "small faint" }, t`Mark the dead chains of a finished game to have it counted.`)];
  const trouble = h("p", { class: "problem", role: "alert", hidden: true });
  const body = h("tbody");
  const table = h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }), SIDES.map((side) => h("th", { class: "num", scope: "col" }, sideName(side))))), body);
  const write = button(t`Put the result into the file`, { onclick: () => score.write() });
  const fields = h("div", { class: "fields narrow" }, labelled(t`Rules`, rules), labelled(t`Komi`, komi));
  const counted = h("div", { class: "stack" }, fields, words, table, rest, file, h("div", { class: "row" }, write));
  const node = h("section", { class: "card stack", "aria-label": t`Score` }, h("header", {}, h("h2", {}, t`Score`), tools), hint, trouble, counted);
  let drawn = null;
  node.draw = () => {
    const { isOn, refusal, result: found } = score;
    for (const one of tools.children) {
      attr(one, "aria-pressed", String(one.dataset.tool === session.tool));
      one.disabled = session.isWalking || !session.view || Boolean(session.view.fault);
    }
    show(hint, !isOn);
    say(trouble, refusal);
    show(trouble, isOn && Boolean(refusal));
    show(counted, isOn);
    // What is being typed stays.
    if (rules.value !== score.rules) rules.value = score.rules;
    if (!score.komi && document.activeElement !== komi) komi.value = "";
    for (const one of [table, rest, words, file]) show(one, Boolean(found));
    write.disabled = !found || found.file_result === found.result;
    if (!found) return;
    attr(komi, "placeholder", decimal(found.komi));
    if (found !== drawn) {
      drawn = found;
      body.replaceChildren(...figures(found).map(([what, ...of]) => h("tr", {}, h("td", {}, what), of.map((text) => h("td", { class: "num" }, text)))));
    }
    const neutral = found.dame > 0 && tn(found.dame, "{0} neutral point", "{0} neutral points");
    const shared = found.seki > 0 && tn(found.seki, "{0} point in seki", "{0} points in seki");
    say(rest, [neutral, shared].filter(Boolean).join(" \u00b7 "));
    show(rest, Boolean(rest.textContent));
    say(words, winner(found.result));
    say(file, inFile(found));
    show(file, Boolean(file.textContent));
  };
  return node;
}
