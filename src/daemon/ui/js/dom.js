// Small helpers to build and change the page. Text goes in as text nodes only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden") node[name] = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) add(node, child);
    else node.append(child instanceof Node ? child : String(child));
  }
}

/** An element of HTML: `h("a", {href: "#/"}, "text")`. */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children);

/** An element of SVG. */
export const s = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

/** Sets the text of a node if it is another one: no work, and nothing read aloud, for what stays. */
export function say(node, text) {
  const value = String(text);
  if (node.textContent !== value) node.textContent = value;
}

/** Sets or takes away an attribute, if it is another one. */
export function attr(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, String(value));
  }
}

/** Shows or hides. */
export function show(node, visible) {
  if (node.hidden === Boolean(visible)) node.hidden = !visible;
}

/**
 * Makes the children of `parent` those of `items`, in order: `create(item)` makes a node, `update(node, item)` brings it up
 * to date. Nodes that stay are not touched, so focus and animations stay too.
 */
export function keyed(parent, items, key, create, update) {
  const old = parent.keyedNodes || new Map();
  const now = new Map(items.map((item) => [key(item), item]));
  // What goes goes first, so that nothing that stays has to be moved: a moved node loses its focus.
  for (const [id, node] of old) if (!now.has(id)) node.remove();
  let place = parent.firstChild;
  for (const [id, item] of now) {
    const node = old.get(id) || create(item);
    update?.(node, item);
    now.set(id, node);
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
  parent.keyedNodes = now;
}

/** The icon of that name, drawn in the colour of the text. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, class: "glyph", "aria-hidden": "true" },
    s("path", { d: ICONS[name] }));
}

const ICONS = {
  play: "M6 4l10 6-10 6z",
  pause: "M6 4v12M13.5 4v12",
  stop: "M5.5 5.5h9v9h-9z",
  drain: "M10 3v9M6 8.5l4 4 4-4M4 16.5h12",
  first: "M5 4v12M15 4l-8 6 8 6z",
  last: "M15 4v12M5 4l8 6-8 6z",
  back: "M13 4l-7 6 7 6",
  forth: "M7 4l7 6-7 6",
  up: "M4 13l6-7 6 7",
  down: "M4 7l6 7 6-7",
  undo: "M8 4L4 8l4 4M4.5 8H12a4 4 0 0 1 0 8H8",
  redo: "M12 4l4 4-4 4M15.500 8H8a4 4 0 0 0 0 8h4",
  sun: "M10 6.500a3.500 3.500 0 1 0 0 7a3.500 3.500 0 1 0 0-7M10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600L16 16M4 16l1.400-1.400M14.600 5.400L16 4",
  moon: "M15.800 12.500A7 7 0 0 1 7.500 4.200A6.500 6.500 0 1 0 15.800 12.500z",
  system: "M3 4h14v9.500H3zM7 17h6M10 13.500V17",
  save: "M10 3v9M6 8.500l4 4 4-4M4 13.500V17h12v-3.500",
  open: "M3 16V5h5l1.500 2H17v9z",
  restart: "M15.500 7A6.500 6.500 0 1 0 16.500 11M16 3v4.200h-4.200",
  bulb: "M7.500 13.500a5 5 0 1 1 5 0V15.500h-5zM8.500 18h3",
  turn: "M15.500 10A5.500 5.500 0 1 1 13 5.400M13 2v3.700h-3.700",
  flip: "M10 2.500v15M7.500 6L3 14h4.500zM12.500 6L17 14h-4.500z",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  share: "M10 12V3M6.500 6.500L10 3l3.500 3.500M4 10.500V17h12v-6.500",
  hunt: "M9 4a5 5 0 1 0 0 10a5 5 0 1 0 0-10M12.700 12.700L17 17",
};

/** A button with an icon, and a label that is seen or only read aloud. */
export function button(label, { glyph, quiet, onclick, kind, disabled, ...rest } = {}) {
  const node = h("button", { type: "button", class: kind || "", onclick, disabled, ...rest },
    glyph && icon(glyph), quiet ? h("span", { class: "unseen" }, label) : h("span", {}, label));
  if (quiet) {
    node.classList.add("icon");
    node.title = label;
  }
  return node;
}

/**
 * A button that asks once more before it acts: a second press counts as long as it asks, which is four seconds. While
 * `asks()` says no it acts at once.
 */
export function careful(label, sure, act, { asks = () => true, ...options } = {}) {
  let timer = 0;
  const ask = (asks) => {
    clearTimeout(timer);
    timer = asks ? setTimeout(() => ask(false), 4000) : 0;
    say(node.querySelector("span"), asks ? sure : label);
    node.classList.toggle("sure", asks);
  };
  const node = button(label, {
    ...options,
    onclick: () => {
      const acts = timer !== 0 || !asks();
      ask(!acts);
      if (acts) act();
      else announce(sure);
    },
  });
  return node;
}

/** Lets the browser save something as a file. */
export function saveAs(content, name) {
  const blob = content instanceof Blob ? content : new Blob([content], { type: "text/plain" });
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

let unique = 0;
/** An id that nothing else on the page has. */
export const newId = (prefix) => `${prefix}-${++unique}`;

/** Says something to those who do not see the page. */
export function announce(text) {
  say(document.getElementById("say"), text);
}

/** A short message at the edge of the page; at most three at a time. */
export function toast(text, kind = "info") {
  const place = document.getElementById("toasts");
  const node = h("p", { class: `toast ${kind}`, role: kind === "bad" ? "alert" : "status" }, text);
  place.append(node);
  while (place.childElementCount > 3) place.firstChild.remove();
  setTimeout(() => node.remove(), kind === "bad" ? 9000 : 5000);
}
