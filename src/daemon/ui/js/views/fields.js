// A setting as a field of a form: built from what the daemon says of it (its kind, range, choices, defaults, help).

import { button, h, newId, say, show } from "../dom.js";
import { sentence } from "../format.js";
import { known, language, t } from "../language.js";
import { amount, seconds } from "../settings.js";

/**
 * What a refusal of the daemon says, in words for people: the name of the setting that it is about (if it begins with one) and the
 * text, without the words of requests and flags.
 */
export function refusal(message) {
  const [, name, rest] = /^(after|not_before|begin): (.+)$/s.exec(message) || /^(?:settings|limits)[.:] ?(\w+)(?:: '[^']*')?(?: is not a position)?: (.+)$/s.exec(message) || [, null, message];
  const text = rest.replace(/ for '--[^']*'/g, "").replace(/--([a-z][a-z-]*)/g, (_, flag) => `\u201c${flag.replaceAll("-", " ")}\u201d`)
    .replace(/\b(?:settings|limits)\.(\w+)/g, (_, setting) => `\u201c${setting.replaceAll("_", " ")}\u201d`)
    .replace(/(\S+) is not in (-?\d+)\.\.=(-?\d+)/g, "$1 is out of range: $2 to $3 is expected");
  const [, what, least, most] = /^(?:the )?(\S+) is out of range: (\S+) to (\S+) is expected$/.exec(text) || [];
  const told = language !== "en" && what ? t`\u201c${what}\u201d is out of range: ${least} to ${most} is expected` : known(text);
  return { name, text: sentence(told) };
}

/** The attributes of the input for each kind of setting. */
const INPUTS = {
  whole: { type: "number", step: 1 },
  number: { type: "number", step: "any" },
  count: { type: "text", pattern: "[0-9_]+[kMG]?", title: t`a number such as 5000, 20M or 2G` },
  seconds: { type: "text", pattern: "([0-9.]+[smhd]?)+", title: t`a time such as 90s, 30m, 12h or 1d12h` },
  bytes: { type: "text", pattern: "[0-9.]+([kKMGT](i?B)?)?", title: t`an amount of memory such as 512M or 2G` },
  text: { type: "text" },
  lines: { rows: 5, wrap: "off" },
  moment: { type: "datetime-local" },
};
const SWITCH = [{ value: "on", label: t`on` }, { value: "off", label: t`off` }];

/** Digits as a number, unless they have more than a number here holds, as a seed of 64 bits may. */
const digits = (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text);

/** Reads what was typed; nothing for nonsense. */
const READERS = {
  whole: (text) => (/^\d{16,20}$/.test(text) ? text : Number(text)),
  number: Number,
  count: digits,
  seconds,
  bytes: (text) => amount(text, 1024),
  text: digits,
  lines: (text) => text,
  moment: (text) => new Date(text).getTime() / 1000,
  choice: (text) => text,
  switch: (text) => text,
};

/**
 * The field of a setting `{name, label, help, kind, min, max, choices}`. `input` is the control, `adapt(strategy)` shows the default of
 * a strategy, `read()` gives the value (`undefined` where it is empty), `complain(text)` shows what is wrong. With `numbers` a count
 * is read here (5M as 5000000); settings may also have it as a text. Lines with a `file` can be taken from a file with one of these
 * endings; `file()` is its name as long as the lines are those of the file.
 */
export function field(spec, { name = spec.name, placeholder = "", numbers = false } = {}) {
  const id = newId("field");
  const reader = numbers && spec.kind === "count" ? amount : READERS[spec.kind];
  const choices = { switch: SWITCH, choice: spec.choices }[spec.kind];
  const empty = choices && h("option", { value: "" }, placeholder || t`default`);
  const input = choices
    ? h("select", { id, name }, empty, choices.map(({ value, label }) => h("option", { value }, label || value)))
    : h(spec.kind === "lines" ? "textarea" : "input", { id, name, autocomplete: "off", spellcheck: "false", min: spec.min, max: spec.max, placeholder, ...INPUTS[spec.kind] });
  // "Walks (walks)" says nothing more than "Walks".
  const unit = spec.unit && !spec.label.toLowerCase().includes(spec.unit) && spec.unit;
  const trouble = h("p", { class: "problem", id: `${id}-problem`, hidden: true });
  input.setAttribute("aria-describedby", `${id}-help ${id}-problem`);
  let taken = {};
  const choose = spec.file && h("input", { type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", accept: spec.file, onchange: async () => {
    const [chosen] = choose.files;
    if (!chosen) return;
    input.value = await chosen.text();
    taken = { name: chosen.name, text: input.value };
    choose.value = "";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  } });
  const open = spec.file && h("div", { class: "row" }, button(t`File\u2026`, { glyph: "open", onclick: () => choose.click() }), choose);
  const node = h("div", { class: "field" }, h("label", { for: id }, spec.label, unit && h("span", { class: "faint" }, ` (${unit})`)),
    input, open, trouble, h("p", { class: "help", id: `${id}-help` }, spec.help));
  return {
    spec, name, input, node,
    adapt: (strategy) => {
      const usual = spec.defaults?.[strategy];
      const text = usual === undefined || usual === null ? placeholder : String(usual);
      if (empty) say(empty, text ? t`${choices.find(({ value }) => value === text)?.label || known(text)} (default)` : t`default`);
      else input.placeholder = known(text);
    },
    text: () => input.value.trim(),
    file: () => (taken.name && taken.text === input.value ? taken.name : undefined),
    read: () => (input.value.trim() === "" ? undefined : reader(input.value.trim())),
    complain: (text) => {
      say(trouble, text);
      show(trouble, Boolean(text));
      if (text) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    },
  };
}
