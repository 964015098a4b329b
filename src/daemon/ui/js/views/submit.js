// The form for a new hunt. What the daemon refuses is told at the field that its message names.

import { checkGrid, newKey, post } from "../api.js";
import { button, h, newId, say, show, toast } from "../dom.js";
import { moves } from "../format.js";
import { thumbnail } from "../grid.js";
import { grid as loadGrid, learn } from "../live.js";
import { fromAddress, pentasol } from "../notation.js";
import { CODES, VARIANTS, fromView } from "../rules.js";
import { COMMON, LIMITS, SETTINGS, STRATEGIES, TAKE_GRIDS, amount, seconds } from "../settings.js";
import { failed } from "./parts.js";

function field(spec) {
  const id = newId("field");
  const input = spec.options
    ? h("select", { id, name: spec.name }, spec.options.map(([value, text]) => h("option", { value }, text)))
    : h("input", { id, name: spec.name, autocomplete: "off", spellcheck: "false", ...spec.input });
  const help = h("p", { class: "help", id: `${id}-help` }, spec.help);
  const trouble = h("p", { class: "problem", id: `${id}-problem`, hidden: true });
  input.setAttribute("aria-describedby", `${id}-help ${id}-problem`);
  const node = h("div", { class: "field" }, h("label", { for: id }, spec.label), input, trouble, help);
  return { spec, input, node, complain: (text) => {
    say(trouble, text);
    show(trouble, Boolean(text));
    if (text) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  } };
}

export default function submit({ query }) {
  let key = newKey();
  const radio = (name, value, title, text, checked) => h("label", { class: "choice" },
    h("input", { type: "radio", name, value, checked, onchange: () => adapt() }), h("strong", {}, title), h("span", { class: "faint small" }, text));
  const variants = h("fieldset", {}, h("legend", {}, "Variant"), h("div", { class: "choices four" }, CODES.map((code) =>
    radio("variant", code, code, `${VARIANTS[code].text}; best known ${VARIANTS[code].record}`, code === (query.get("variant") || "5T")))));
  const strategies = h("fieldset", {}, h("legend", {}, "Strategy"), h("div", { class: "choices" }, Object.entries(STRATEGIES).map(([value, [title, text]]) =>
    radio("strategy", value, title, text, value === (query.get("strategy") || "reshape")))));
  const fields = [...SETTINGS, ...COMMON, ...LIMITS].map(field);
  const of = (list, more) => fields.filter((f) => list.includes(f.spec) && Boolean(f.spec.more) === more).map((f) => f.node);
  const name = field({ name: "name", label: "Name", input: { type: "text", maxlength: 80, placeholder: "made from the settings" }, help: "For people." });
  const priority = field({ name: "priority", label: "Priority", input: { type: "number", placeholder: "0", min: -100, max: 100, step: 1 }, help: "Higher ones are served first." });
  const weight = field({ name: "weight", label: "Weight", input: { type: "number", placeholder: "1", min: 1, max: 1000, step: 1 }, help: "Share of the threads among jobs of one priority." });
  fields.push(name, priority, weight);
  const more = h("details", { class: "card" }, h("summary", {}, "More settings"), h("div", { class: "fields" },
    of(SETTINGS, true), of(COMMON, true), of(LIMITS, true), priority.node, weight.node));

  // The position to start from, and the grids to begin with.
  let start = null;
  const startText = h("p", { class: "faint" }, "the empty board");
  const startPicture = h("div", { class: "startpicture", hidden: true });
  const keepMoves = field({ name: "start", label: "Keep the first moves", input: { type: "number", min: 0, step: 1 }, help: "The hunt goes on from there." });
  keepMoves.node.hidden = true;
  const file = (multiple, take) => h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", multiple, accept: ".txt,.psol,.msr,.json",
    onchange: (event) => take([...event.target.files]) });
  const setStart = (variant, list, text) => {
    start = { variant, moves: list, text };
    startPicture.replaceChildren(thumbnail(variant, list));
    show(startPicture, true);
    show(keepMoves.node, true);
    show(clear, true);
    say(startText, `${variant}, ${moves(list.length)}`);
    keepMoves.input.max = list.length;
    keepMoves.input.value = list.length;
    const choice = variants.querySelector(`input[value="${variant}"]`);
    if (choice) choice.checked = true;
  };
  const startFile = file(false, async ([chosen]) => {
    if (!chosen) return;
    try {
      const text = await chosen.text();
      const view = await checkGrid(text);
      setStart(view.variant, view.moves.map(fromView), text);
    } catch (problem) {
      toast(`${chosen.name}: ${problem.message}`, "bad");
    }
  });
  const clear = button("Empty board", { onclick: () => {
    start = null;
    show(startPicture, false);
    show(keepMoves.node, false);
    show(clear, false);
    say(startText, "the empty board");
  } });
  clear.hidden = true;
  let grids = [];
  const gridsText = h("p", { class: "faint" }, "none: each run begins anew");
  const gridsFile = file(true, async (chosen) => {
    grids = await Promise.all(chosen.slice(0, 1000).map((one) => one.text()));
    say(gridsText, grids.length ? `${grids.length} ${grids.length === 1 ? "file" : "files"}` : "none");
  });
  const gridsBox = h("div", { class: "stack" }, h("h3", {}, "Grids to begin with"), gridsText,
    h("div", {}, button("Choose files\u2026", { glyph: "open", onclick: () => gridsFile.click() })), gridsFile);
  const startBox = h("section", { class: "card stack", "aria-label": "Start" }, h("h2", {}, "Start from"),
    startText, startPicture, keepMoves.node,
    h("div", { class: "row" }, button("Grid file\u2026", { glyph: "open", onclick: () => startFile.click() }), h("a", { class: "button", href: "#/board" }, "The board"), clear), startFile, gridsBox);

  const trouble = h("div", { class: "note bad", role: "alert", hidden: true });
  const preview = h("code", { class: "preview" });
  const send = button("Submit the job", { kind: "main", type: "submit", glyph: "hunt" });
  const form = h("form", { class: "two wide", oninput: () => adapt(), onsubmit: (event) => {
    event.preventDefault();
    submitJob();
  } },
    h("div", { class: "cards" },
      h("section", { class: "card stack loose", "aria-label": "Hunt" }, variants, strategies),
      h("section", { class: "card", "aria-label": "Settings" }, h("header", {}, h("h2", {}, "Settings"), h("span", { class: "faint small" }, "empty is the default")),
        h("div", { class: "fields" }, of(SETTINGS, false), of(COMMON, false), of(LIMITS, false), name.node)), more),
    h("div", { class: "cards side" }, startBox,
      h("section", { class: "card stack", "aria-label": "Submit" }, trouble, send,
        h("details", {}, h("summary", { class: "small" }, "The same in a terminal"), preview))));

  const chosen = (what) => form.querySelector(`input[name="${what}"]:checked`)?.value;

  function request() {
    const [variant, strategy] = [chosen("variant"), chosen("strategy")];
    const settings = { variant, strategy };
    const limits = {};
    const bad = [];
    for (const one of fields) {
      const { spec, input, node } = one;
      one.complain("");
      const value = input.value.trim();
      if (!value || node.hidden) continue;
      if (SETTINGS.includes(spec) || COMMON.includes(spec)) {
        settings[spec.name] = input.type === "number" ? Number(value) : /^\d{1,15}$/.test(value) ? Number(value) : value;
      } else if (LIMITS.includes(spec)) {
        const read = { seconds, threads: Number, limit_iterations: amount, memory: (t) => amount(t, 1024) }[spec.name](value);
        if (read === undefined) bad.push([one, `'${value}' cannot be read: ${spec.help}`]);
        limits[spec.name === "limit_iterations" ? "iterations" : spec.name] = read;
      }
    }
    const body = { kind: "hunt", settings, limits };
    if (name.input.value.trim()) body.name = name.input.value.trim();
    if (priority.input.value) body.priority = Number(priority.input.value);
    if (weight.input.value) body.weight = Number(weight.input.value);
    if (start) body.start = { grid: start.text, moves: keepMoves.input.value === "" ? start.moves.length : Number(keepMoves.input.value) };
    if (grids.length && !gridsBox.hidden) body.grids = grids;
    return { body, bad };
  }

  /** Shows the settings of the strategy, and what a terminal would be told. */
  function adapt() {
    const strategy = chosen("strategy");
    for (const { spec, node } of fields) {
      if (spec.for) show(node, spec.for.includes(strategy));
      if (spec.not) show(node, !spec.not.includes(strategy));
    }
    show(gridsBox, TAKE_GRIDS.includes(strategy));
    const flags = Object.entries(request().body.settings).map(([flag, value]) => `--${flag.replaceAll("_", "-")} ${value}`);
    say(preview, `morpion job submit ${flags.join(" ")}`);
  }

  /** Tells a problem at the field that the message names first, or above the button. */
  function tell(problem) {
    const text = problem.message;
    const at = ({ spec }) => {
      const plain = spec.name.replace("limit_", "limits.");
      const found = new RegExp(`(^|[^\\w])(--)?${plain.replace(/[_.]/g, "[-_. ]")}([^\\w]|$)`).exec(text);
      return found ? found.index : Infinity;
    };
    const [first] = fields.filter((one) => !one.node.hidden).map((one) => [at(one), one]).filter(([n]) => n < Infinity).sort((a, b) => a[0] - b[0]);
    trouble.hidden = false;
    say(trouble, text);
    if (first) {
      first[1].complain(text);
      if (more.contains(first[1].node)) more.open = true;
      first[1].input.focus();
    }
  }

  async function submitJob() {
    trouble.hidden = true;
    const { body, bad } = request();
    if (bad.length) {
      bad.forEach(([one, text]) => one.complain(text));
      bad[0][0].input.focus();
      return;
    }
    send.disabled = true;
    try {
      const job = await post("/jobs", body, { "idempotency-key": key });
      key = newKey();
      learn(job);
      toast(`Job ${job.id} was submitted.`);
      location.hash = `#/jobs/${job.id}`;
    } catch (problem) {
      // After an answer the same form is another request; without one it may have arrived, and must not make a second job.
      if (!problem.unreachable) key = newKey();
      tell(problem);
    }
    send.disabled = false;
  }

  const element = h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, "New job"),
    h("a", { class: "button", href: "#/games" }, "Solve Reversi or Go instead")), form);
  const prefill = fromAddress(query.get("start"));
  if (prefill) setStart(prefill.variant, prefill.moves, pentasol(prefill.variant, prefill.moves));
  if (query.get("grid")) {
    loadGrid(query.get("grid")).then((view) => {
      const list = view.moves.map(fromView);
      setStart(view.variant, list, pentasol(view.variant, list));
    }, (problem) => form.before(failed(problem)));
  }
  adapt();
  return { element, title: "New job", page: "submit" };
}
