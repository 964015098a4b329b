// A form for a job of players: a match, games of a player against itself, positions to be analysed, questions to be answered.

import { h, show } from "../dom.js";
import { t } from "../language.js";
import { otherForms } from "./cards.js";
import { field, refusal } from "./fields.js";
import { submitCard } from "./submitcard.js";

export const GOMOKU = { value: "gomoku", label: t`Gomoku` };
export const REVERSI = { value: "reversi", label: t`Reversi` };
export const GO = { value: "go", label: t`Go` };

/** Settings that both kinds have. */
export const RULE = { name: "rule", label: t`Rows that win`, kind: "choice", of: ["gomoku"], help: t`Which rows win.`,
  choices: [{ value: "five", label: t`exactly that long` }, { value: "free", label: t`at least that long` }, { value: "renju" }, { value: "caro" }] };
export const SEED = { name: "seed", label: t`Seed`, kind: "whole", min: 0, placeholder: "0", help: t`Decides the openings.` };

/** The settings of the job itself; `workers` says what a worker does, `ends` what becomes of it when its time is up. */
export const ofJob = (workers, ends = t`Then it ends with what has been played.`) => [
  { name: "name", part: "job", label: t`Name`, kind: "text", placeholder: t`made from the settings`, help: t`Shown in the lists.` },
  { name: "workers", part: "limits", label: t`Workers at once`, kind: "whole", min: 1, placeholder: t`no limit`, help: workers },
  { name: "seconds", part: "limits", label: t`Time of the job`, kind: "seconds", placeholder: t`no limit`, help: ends },
  { name: "priority", part: "job", label: t`Priority`, kind: "whole", min: -100, max: 100, placeholder: "0", help: t`Jobs of a higher priority are served first.` },
];

/**
 * The form for jobs of a kind. `games` can be chosen, if it is about several; `settings` are those of the play (`of` names the games that have one that not all
 * have, `when` the values of another setting with which it counts), `job` those of the job, `usual` what is sent in any case; `command` tells the same in a terminal.
 */
export function playform({ kind, title, card, games = [], settings, job, usual = {}, command }, query) {
  const fields = [...settings, ...job].map((spec) => field(spec, { placeholder: spec.placeholder }));
  for (const one of fields) if (one.spec.kind !== "choice") one.input.value = query.get(one.spec.name) || "";
  const game = h("select", { name: "game", "aria-label": t`Game` }, games.map(({ value, label }) => h("option", { value }, label)));
  game.value = (games.find(({ value }) => value === query.get("game")) ?? games[0])?.value;

  /** The request that the form stands for, and the fields that hold nonsense. */
  function request() {
    const body = { kind, settings: { ...(games.length ? { game: game.value } : {}), ...usual }, limits: {} };
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
  const sending = submitCard({ request, complain: (one, text) => {
    one.complain(text);
    one.input.focus();
  }, refused: (message) => fields.find(({ spec, node }) => spec.name === refusal(message).name && !node.hidden) });
  const chosen = (name) => fields.find(({ spec, node }) => spec.name === name && !node.hidden)?.text() ?? "";
  const counts = ({ of, when = {} }) =>
    (!of || of.includes(game.value)) && Object.entries(when).every(([name, values]) => values.includes(chosen(name)));
  const adapt = () => {
    for (const one of fields) show(one.node, counts(one.spec));
    const { body } = request();
    for (const one of fields) if (one.file()) body.settings[one.spec.name] = one.file();
    sending.tell(command(body));
  };
  const of = (specs) => h("div", { class: "fields" }, fields.filter((one) => specs.includes(one.spec)).map((one) => one.node));
  const form = h("form", { class: "two wide", oninput: adapt, onchange: adapt, onsubmit: (event) => {
    event.preventDefault();
    sending.submit();
  } },
  h("div", { class: "cards" }, h("section", { class: "card stack", "aria-label": card }, h("header", {}, h("h2", {}, card), games.length > 0 && game), of(settings)),
    h("section", { class: "card", "aria-label": t`Settings` }, h("header", {}, h("h2", {}, t`Settings`), h("span", { class: "faint small" }, t`empty is the default`)), of(job))),
  h("div", { class: "cards side" }, sending));

  adapt();
  return { element: h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, title), otherForms(kind)), form), title, page: "submit" };
}
