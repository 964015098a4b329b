// The language of the page. The English text is the key: t`Job ${id} was changed.` looks up "Job {0} was changed." in the catalogue
// that the daemon makes of `src/language/*.po`. The language is the one that somebody chose, else the first of the browser's that
// there is. What a catalogue lacks stays English. `tests/language.rs` compares the texts of all scripts with the catalogues.

/** The languages by their codes, each in its own words. */
const NAMES = { en: "English", fr: "Fran\u00e7ais", de: "Deutsch" };
const KEPT = "morpion.language";

function chosen() {
  let kept = "";
  try {
    kept = localStorage.getItem(KEPT) || "";
  } catch {
    // Storage can be forbidden; then the browser decides.
  }
  const wanted = [kept, ...(navigator.languages || [])].map((name) => name.toLowerCase().split("-")[0]);
  return wanted.find((code) => Object.hasOwn(NAMES, code)) || "en";
}

async function load(code) {
  if (code === "en") return {};
  const answer = await fetch(new URL(`../language/${code}.json`, import.meta.url));
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

export let language = chosen();
/** Text by key; where there are several forms a list of them, the one for one thing first. */
let texts = {};
try {
  texts = await load(language);
} catch {
  // Without a catalogue the page is in English.
  language = "en";
}
const forms = new Intl.PluralRules(language);

const filled = (text, values) => text.replace(/\{(\d+)\}/g, (_, n) => values[n]);
const keyOf = (strings) => strings.reduce((key, part, n) => `${key}{${n - 1}}${part}`);

/** A text: t`${n} of ${all} busy`. */
export const t = (strings, ...values) => filled(texts[keyOf(strings)] ?? keyOf(strings), values);

/** The same with elements in it, as a list of texts and elements. */
export function tp(strings, ...values) {
  const text = texts[keyOf(strings)] ?? keyOf(strings);
  return text.split(/\{(\d+)\}/).map((part, n) => (n % 2 ? values[part] : part)).filter((part) => part !== "");
}

/** A text that depends on a number: tn(n, "{0} move", "{0} moves"). {0} is the number, unless other values are given. */
export function tn(n, one, many, ...values) {
  const [first, ...more] = texts[one] ?? [one, many];
  return filled(forms.select(n) === "one" ? first : more.at(-1) ?? first, values.length ? values : [n]);
}

/** A text whose words alone do not say what is meant: tc("unit of time", "d"). */
export const tc = (context, text) => texts[`${context}\u0004${text}`] ?? text;

/** A text of the daemon, in the language of the page if the catalogue has it. */
export const known = (text) => (typeof texts[text] === "string" ? texts[text] : text);

/** Puts the texts of the frame into the language, and lets the field of languages choose another one. */
export function languages() {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll("[data-translate]")) {
    if (!node.childElementCount && node.textContent) node.textContent = known(node.textContent);
    for (const name of ["aria-label", "content"]) if (node.hasAttribute(name)) node.setAttribute(name, known(node.getAttribute(name)));
  }
  const field = document.getElementById("language");
  field.replaceChildren(...Object.entries(NAMES).map(([code, name]) => {
    const option = new Option(code.toUpperCase(), code, false, code === language);
    option.title = name;
    option.lang = code;
    return option;
  }));
  field.title = NAMES[language];
  field.addEventListener("change", () => {
    try {
      localStorage.setItem(KEPT, field.value);
      location.reload();
    } catch {
      // Without storage there is nothing to remember the choice by.
      field.value = language;
    }
  });
}
