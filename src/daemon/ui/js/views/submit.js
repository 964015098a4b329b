// The form for a new hunt. Its settings are those that the daemon describes; what the daemon refuses is shown at the field that
// its message names.

import { h, say, show } from "../dom.js";
import { VARIANT_TEXTS } from "../format.js";
import { t } from "../language.js";
import { CODES, VARIANTS } from "../rules.js";
import { catalogue } from "../settings.js";
import { submitCommand } from "../shell.js";
import { otherForms } from "./cards.js";
import { field } from "./fields.js";
import { failed } from "./parts.js";
import { startCard } from "./startcard.js";
import { submitCard } from "./submitcard.js";

/** The settings of every job. */
const JOB = [
  { name: "name", label: t`Name`, kind: "text", help: t`Shown in the lists.`, placeholder: t`made from the settings` },
  { name: "priority", label: t`Priority`, kind: "whole", min: -100, max: 100, help: t`Jobs of a higher priority are served first.`, placeholder: "0", advanced: true },
  { name: "weight", label: t`Weight`, kind: "whole", min: 1, max: 1000, help: t`Share of the workers among jobs of the same priority.`, placeholder: "1", advanced: true },
  { name: "after", label: t`After job`, kind: "whole", min: 1, help: t`Begins when the job of this number has finished; if that one fails or is cancelled, this one is cancelled.`, placeholder: t`none`, advanced: true },
  { name: "not_before", label: t`Not before`, kind: "moment", help: t`Begins at this time or later.`, advanced: true },
];

/** All fields, each with the part of the request that it is of: `settings`, `limits` or `job`. */
function allFields({ parameters, common, limits }) {
  const taken = new Set([...parameters, ...common].map(({ name }) => name));
  return [
    ...parameters.map((spec) => ({ part: "settings", own: true, ...field(spec) })),
    // The first moves to start from have the name `start`, too.
    ...common.map((spec) => ({ part: "settings", ...field(spec, { name: spec.name === "start" ? "start_points" : spec.name, placeholder: spec.defaults?.all }) })),
    ...limits.map((spec) => ({ part: "limits", ...field(spec, { name: taken.has(spec.name) ? `limit_${spec.name}` : spec.name, placeholder: t`no limit`, numbers: true }) })),
    ...JOB.map((spec) => ({ part: "job", ...field(spec, { placeholder: spec.placeholder }) })),
  ];
}

/** The settings that only some strategies use: closed while the strategy is chosen by the program. */
function ownSettings(fields) {
  const title = h("summary", {}, "");
  const node = h("details", { class: "card" }, title, h("div", { class: "fields" }, fields.map((one) => one.node)));
  let shown = null;
  node.adapt = (chosen, label) => {
    say(title, t`Settings of ${label}`);
    show(node, fields.some((one) => !one.node.hidden));
    if (shown !== chosen) node.open = chosen !== "auto";
    shown = chosen;
  };
  return node;
}

const radio = (name, value, title, text, checked) => {
  const what = h("span", { class: "faint small" }, text);
  const node = h("label", { class: "choice" }, h("input", { type: "radio", name, value, checked }), h("strong", {}, title), what);
  node.what = what;
  return node;
};

/** The choice of variant and strategy. */
function choiceCard({ strategies, auto }, query) {
  const variants = h("fieldset", {}, h("legend", {}, t`Variant`), h("div", { class: "choices four" }, CODES.map((code) =>
    radio("variant", code, code, t`${VARIANT_TEXTS[code]}; best known ${VARIANTS[code].record}`, code === (query.get("variant") || "5T")))));
  const wanted = query.get("strategy") || "auto";
  const best = radio("strategy", "auto", t`Automatic`, "", wanted === "auto");
  const kinds = h("fieldset", {}, h("legend", {}, t`Strategy`), h("div", { class: "choices" }, best,
    strategies.map(({ name, label, summary }) => radio("strategy", name, label, summary, name === wanted))));
  const node = h("section", { class: "card stack loose", "aria-label": t`Hunt` }, variants, kinds);
  const chosen = (what) => node.querySelector(`input[name="${what}"]:checked`)?.value;
  node.variant = () => chosen("variant");
  node.setVariant = (code) => {
    const input = node.querySelector(`input[name=variant][value="${code}"]`);
    if (input) input.checked = true;
  };
  node.strategy = () => chosen("strategy");
  const choice = () => auto.find(({ variant }) => variant === node.variant());
  /** The strategy that runs: the chosen one, or the one that `auto` stands for. */
  node.runs = () => (node.strategy() === "auto" ? choice()?.strategy : node.strategy());
  node.draw = () => {
    const { strategy, reason } = choice() || {};
    const label = strategies.find(({ name }) => name === strategy)?.label || strategy;
    say(best.what, t`${label}, the best measured search in ${node.variant()}: ${reason}`);
  };
  return node;
}

/** The request that the form stands for, what was typed of it, and the fields that hold nonsense. */
function request(fields, choice, start) {
  const body = { kind: "hunt", settings: { variant: choice.variant(), strategy: choice.strategy() }, limits: {} };
  const [typed, bad] = [{}, []];
  for (const one of fields) {
    one.complain("");
    if (one.node.hidden || one.text() === "") continue;
    const value = one.read();
    if (value === undefined || Number.isNaN(value)) bad.push([one, t`'${one.text()}' is not a valid value. ${one.spec.help}`]);
    const part = one.part === "job" ? body : body[one.part];
    part[one.spec.name] = value;
    if (one.part === "limits") typed[one.spec.name] = one.text();
  }
  return { body: Object.assign(body, start.value()), typed, bad };
}

/** The field that a message of the daemon names first. */
function named(fields, text) {
  const at = ({ part, spec }) => {
    const plain = part === "limits" ? `limits.${spec.name}` : spec.name;
    const found = new RegExp(`(^|[^\\w])(--)?${plain.replace(/[_.]/g, "[-_. ]")}([^\\w]|$)`).exec(text);
    return found ? found.index : Infinity;
  };
  const [first] = fields.filter((one) => !one.node.hidden).map((one) => [at(one), one]).filter(([n]) => n < Infinity).sort((a, b) => a[0] - b[0]);
  return first?.[1];
}

/** The form, once the daemon has said which strategies and settings there are. */
function huntForm(known, query) {
  const fields = allFields(known);
  const adapt = () => {
    const runs = choice.runs();
    choice.draw();
    for (const one of fields) {
      if (one.spec.used_by?.length) show(one.node, one.spec.used_by.includes(runs));
      one.adapt?.(runs);
    }
    const row = known.strategies.find(({ name }) => name === runs);
    own.adapt(choice.strategy(), row?.label ?? runs);
    start.takesGrids(Boolean(row?.takes_grids));
    const { body, typed } = request(fields, choice, start);
    card.tell(submitCommand(body, { typed, file: start.file() }));
  };
  const choice = choiceCard(known, query);
  const start = startCard({ picked: (variant) => choice.setVariant(variant), changed: () => adapt() });
  const own = ownSettings(fields.filter((one) => one.own));
  const of = (part, advanced) => fields.filter((one) => one.part === part && !one.own && Boolean(one.spec.advanced) === advanced).map((one) => one.node);
  const more = h("details", { class: "card" }, h("summary", {}, t`More settings`),
    h("div", { class: "fields" }, of("settings", true), of("limits", true), of("job", true)));
  const card = submitCard({ request: () => request(fields, choice, start), refused: (message) => named([...fields, { part: "job", ...start.keep }], message),
    complain: (one, text) => {
      one.complain(text);
      for (const part of [own, more]) if (part.contains(one.node)) part.open = true;
      one.input.focus();
    } });
  const form = h("form", { class: "two wide", oninput: adapt, onchange: adapt, onsubmit: (event) => {
    event.preventDefault();
    card.submit();
  } },
  h("div", { class: "cards" }, choice,
    h("section", { class: "card", "aria-label": t`Settings` }, h("header", {}, h("h2", {}, t`Settings`), h("span", { class: "faint small" }, t`empty is the default`)),
      h("div", { class: "fields" }, of("settings", false), of("limits", false), of("job", false))), own, more),
  h("div", { class: "cards side" }, start, card));
  form.open = () => start.open(query).catch((problem) => form.before(failed(problem)));
  adapt();
  return form;
}

export default function submit({ query }) {
  const place = h("div", {}, h("p", { class: "wait" }, t`Loading the settings\u2026`));
  const load = () => catalogue().then((known) => {
    const form = huntForm(known, query);
    place.replaceChildren(form);
    form.open();
  }, (problem) => place.replaceChildren(failed(problem, load)));
  load();
  return { element: h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, t`New job`),
    otherForms("hunt")), place), title: t`New job`, page: "submit" };
}
