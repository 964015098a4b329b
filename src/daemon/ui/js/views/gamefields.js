// The fields of the cards beside the board of a two-player game: with a label, a help, and a place for what is wrong.

import { attr, h, newId, say, show } from "../dom.js";

/** A field with its label, its help, and a place for what is wrong with it. */
function labelled(label, kind, props, help, ...content) {
  const id = newId("solve");
  const trouble = h("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
  const field = h(kind, { id, "aria-describedby": trouble.id, ...props }, ...content);
  return { field, node: h("div", { class: "field" }, h("label", { for: id }, label), field, trouble, help && h("p", { class: "help" }, help)),
    complain: (text) => {
      say(trouble, text);
      show(trouble, Boolean(text));
      attr(field, "aria-invalid", text ? "true" : null);
    } };
}

export function input(label, props, help) {
  return labelled(label, "input", { autocomplete: "off", spellcheck: "false", ...props }, help);
}

export const listed = (options) => options.map(([value, what]) => h("option", { value }, what));

export function choice(label, options, onchange, props = {}, help = null) {
  return labelled(label, "select", { onchange, ...props }, help, listed(options));
}
