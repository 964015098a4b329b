// The form for a match of two players of this program.

import { newKey, post } from "../api.js";
import { button, h, say, show, toast } from "../dom.js";
import { t } from "../language.js";
import { learn } from "../live.js";
import { matchCommand } from "../shell.js";
import { field, refusal } from "./fields.js";

const GAMES = [{ value: "gomoku", label: t`Gomoku` }, { value: "reversi", label: t`Reversi` }, { value: "go", label: t`Go` }];
const PLAYER = t`morpion is the strongest; morpion:5 plays on level 5 (1 to 10). Settings after the colon: level=5, nodes=3000, time=0.2s; in Gomoku also brain=thesis and without=PART, in Go seed=N.`;

/** The settings of a match; `of` names the games that have one that not all have. */
const SETTINGS = [
  { name: "a", label: t`Player A`, kind: "text", placeholder: "morpion", help: PLAYER },
  { name: "b", label: t`Player B`, kind: "text", placeholder: "morpion", help: t`As player A. A daemon starts no programs for its clients.` },
  { name: "size", label: t`Board`, kind: "text", placeholder: t`the usual one`, help: t`A number, or columns and rows such as 8x6. Usual are 15 in Gomoku, 8 in Reversi, 9 in Go.` },
  { name: "rule", label: t`Rows that win`, kind: "choice", of: ["gomoku"], help: t`Which rows win.`,
    choices: [{ value: "five", label: t`exactly that long` }, { value: "free", label: t`at least that long` }, { value: "renju" }, { value: "caro" }] },
  { name: "komi", label: t`Komi`, kind: "number", of: ["go"], placeholder: "0", help: t`What white gets beside its area.` },
  { name: "pairs", label: t`Pairs of games`, kind: "whole", min: 1, max: 1_000_000, placeholder: "50", help: t`The two games of a pair begin with the same moves, and each player has black once.` },
  { name: "time", label: t`Time for a move`, kind: "seconds", placeholder: "1s", help: t`Time of the processor.` },
  { name: "nodes", label: t`Nodes for a move`, kind: "count", placeholder: t`as many as the time allows`, help: t`If they are used up before the time, the same seed gives the same games. In Go playouts.` },
  { name: "sprt", label: t`Test`, kind: "text", placeholder: t`no test`, help: t`Two differences in Elo such as 0,30: the match ends when it is decided which of them is the right one, with errors of 5 %.` },
  { name: "seed", label: t`Seed`, kind: "whole", min: 0, placeholder: "0", help: t`Decides the openings.` },
];
const JOB = [
  { name: "name", part: "job", label: t`Name`, kind: "text", placeholder: t`made from the settings`, help: t`Shown in the lists.` },
  { name: "workers", part: "limits", label: t`Workers at once`, kind: "whole", min: 1, placeholder: t`no limit`, help: t`Each plays a pair of its own.` },
  { name: "seconds", part: "limits", label: t`Time of the job`, kind: "seconds", placeholder: t`no limit`, help: t`Then it ends with what has been played.` },
  { name: "priority", part: "job", label: t`Priority`, kind: "whole", min: -100, max: 100, placeholder: "0", help: t`Jobs of a higher priority are served first.` },
];

/** The request that the form stands for, and the fields that hold nonsense. */
function request(game, fields) {
  const body = { kind: "match", settings: { game, a: "morpion", b: "morpion" }, limits: {} };
  const bad = [];
  for (const one of fields) {
    one.complain("");
    if (one.node.hidden || one.text() === "") continue;
    const value = one.read();
    if (value === undefined || Number.isNaN(value)) bad.push([one, t`'${one.text()}' is not a valid value. ${one.spec.help}`]);
    const part = one.spec.part ?? "settings";
    (part === "job" ? body : body[part])[one.spec.name] = value;
  }
  return { body, bad };
}

export default function matchform({ query }) {
  const fields = [...SETTINGS, ...JOB].map((spec) => field(spec, { placeholder: spec.placeholder }));
  for (const one of fields) if (one.spec.kind !== "choice") one.input.value = query.get(one.spec.name) || "";
  const game = h("select", { name: "game", "aria-label": t`Game` }, GAMES.map(({ value, label }) => h("option", { value }, label)));
  game.value = GAMES.some(({ value }) => value === query.get("game")) ? query.get("game") : "gomoku";
  const trouble = h("div", { class: "note bad", role: "alert", hidden: true });
  const [preview, send] = [h("code", { class: "preview" }), button(t`Submit the job`, { kind: "main", type: "submit", glyph: "hunt" })];
  const adapt = () => {
    for (const one of fields) show(one.node, !one.spec.of || one.spec.of.includes(game.value));
    say(preview, matchCommand(request(game.value, fields).body));
  };
  const of = (specs) => h("div", { class: "fields" }, fields.filter((one) => specs.includes(one.spec)).map((one) => one.node));
  const form = h("form", { class: "two wide", oninput: adapt, onchange: adapt, onsubmit: (event) => {
    event.preventDefault();
    submit();
  } },
  h("div", { class: "cards" }, h("section", { class: "card stack", "aria-label": t`Match` }, h("header", {}, h("h2", {}, t`Match`), game), of(SETTINGS)),
    h("section", { class: "card", "aria-label": t`Settings` }, h("header", {}, h("h2", {}, t`Settings`), h("span", { class: "faint small" }, t`empty is the default`)), of(JOB))),
  h("div", { class: "cards side" }, h("section", { class: "card stack", "aria-label": t`Submit` }, trouble, send,
    h("details", {}, h("summary", { class: "small" }, t`The same in a terminal`), preview))));

  const complain = (one, text) => {
    one.complain(text);
    one.input.focus();
  };
  let key = newKey();
  async function submit() {
    trouble.hidden = true;
    const { body, bad } = request(game.value, fields);
    if (bad.length) {
      bad.toReversed().forEach(([one, text]) => complain(one, text));
      return;
    }
    send.disabled = true;
    try {
      const job = await post("/jobs", body, { "idempotency-key": key });
      key = newKey();
      learn(job);
      toast(t`Job ${job.id} was submitted.`);
      location.hash = `#/jobs/${job.id}`;
    } catch (problem) {
      // After an answer the same form is another request; without one it may have arrived, and must not make a second job.
      if (!problem.unreachable) key = newKey();
      const { name, text } = refusal(problem.message);
      const one = fields.find(({ spec, node }) => spec.name === name && !node.hidden);
      if (one) complain(one, text);
      say(trouble, one ? t`The job was not submitted: see \u201c${one.spec.label}\u201d.` : text);
      trouble.hidden = false;
    }
    send.disabled = false;
  }
  adapt();
  return { element: h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, t`New match`),
    h("a", { class: "button", href: "#/submit" }, t`Submit a hunt instead`)), form), title: t`New match`, page: "submit" };
}
