// Talks to the daemon: requests with a time-out, problem details, the token where one is asked for, and the stream of events.

import { button, h, newId, saveAs } from "./dom.js";
import { known, t, tp } from "./language.js";

const BASE = "/api/v1";
const TIMEOUT = 20_000;

/** What the daemon says when it refuses, in the language of the page where it says so often enough to be translated. */
function inWords(text) {
  const [, what, which] = /^there is no (job|grid) (\S+)$/.exec(text) || [];
  if (what) return what === "job" ? t`there is no job ${which}` : t`there is no grid ${which}`;
  return known(text);
}

/** What the daemon answers when it does not do what it is asked (RFC 9457), or why it could not be reached. */
export class Problem extends Error {
  constructor(status, body) {
    super(inWords(body.detail || body.title || "") || t`the daemon answered ${status}`);
    this.status = status;
    this.body = body;
  }

  /** Nobody answered. */
  get unreachable() {
    return this.status === 0;
  }
}

const TOKEN = "morpion.token";
let token = "";
try {
  token = sessionStorage.getItem(TOKEN) || localStorage.getItem(TOKEN) || "";
} catch {
  // Without storage the token lives as long as the page.
}

function authorised(headers) {
  return token ? { ...headers, authorization: `Bearer ${token}` } : headers;
}

async function problem(response) {
  const text = await response.text().catch(() => "");
  try {
    return new Problem(response.status, JSON.parse(text));
  } catch {
    return new Problem(response.status, { title: response.statusText, detail: text.slice(0, 300) });
  }
}

async function raw(method, path, { body, headers = {}, signal, text } = {}) {
  for (;;) {
    const limit = AbortSignal.timeout(TIMEOUT);
    const used = token;
    let response;
    try {
      response = await fetch(BASE + path, {
        method,
        cache: "no-cache",
        headers: authorised({ ...headers, ...(body === undefined ? {} : { "content-type": text || "application/json" }) }),
        body: body === undefined ? undefined : text ? body : JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Problem(0, {
        detail: limit.aborted ? t`the daemon did not answer in time` : t`the daemon cannot be reached`,
      });
    }
    if (response.status === 401) {
      if (used === token) await askToken(used !== "");
      continue;
    }
    if (!response.ok) throw await problem(response);
    return response;
  }
}

/** An answer in JSON, or nothing where there is no content. */
export async function json(method, path, options) {
  const response = await raw(method, path, options);
  return response.status === 204 ? null : parse(await response.text());
}

/** Reads JSON; a seed has 64 bits, more than a number here holds, and is kept as text if it would lose some. */
function parse(text) {
  return JSON.parse(text, (name, value, context) =>
    name === "seed" && typeof value === "number" && !Number.isSafeInteger(value) ? (context?.source ?? value) : value);
}

export const get = (path, signal) => json("GET", path, { signal });
export const post = (path, body, headers, signal) => json("POST", path, { body, headers, signal });
export const patch = (path, body) => json("PATCH", path, { body });
export const remove = (path) => json("DELETE", path);

/** The grid that a text of any format holds, with its moves; a problem if it holds none, or an illegal move. */
export const checkGrid = (text) => json("POST", "/grids/check", { body: text, text: "text/plain" });

/** Sends a grid, a text of any format, into the archive. */
export const sendGrid = (text) => json("POST", "/grids", { body: text, text: "text/plain" });

/** `?a=1&b=2` of those that have a value. */
export function query(values) {
  const pairs = Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== "");
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

/** Lets the browser save an answer as a file; by fetch, so that the token goes with it. */
export async function download(path, name) {
  const response = await raw("GET", path);
  saveAs(await response.blob(), name);
}

/** A key of a client's own for a request that must not be done twice. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

let asking = null;

/** Asks for a token, once for all requests that wait for it. */
function askToken(wrong) {
  asking ||= new Promise((done) => {
    const id = newId("token");
    const field = h("input", { id, type: "password", autocomplete: "current-password", required: true, spellcheck: "false" });
    const keep = h("input", { type: "checkbox", id: `${id}-keep` });
    const form = h("form", { method: "dialog", class: "stack" },
      h("h2", {}, t`This daemon asks for a token`),
      wrong && h("p", { class: "problem", role: "alert" }, t`The token was not accepted. Is it complete, and still valid?`),
      h("p", { class: "faint" }, tp`Make one on the daemon's machine with ${h("code", {}, "morpion token create")} and paste it here.`),
      h("label", { for: id }, t`Token`), field,
      h("label", { class: "check", for: `${id}-keep` }, keep, " ", t`keep it on this device (else until the tab is closed)`),
      h("div", { class: "row end" }, button(t`Use it`, { kind: "main", type: "submit" })));
    const dialog = h("dialog", { class: "ask", "aria-label": t`Token` }, form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      token = field.value.trim();
      try {
        (keep.checked ? localStorage : sessionStorage).setItem(TOKEN, token);
        if (!keep.checked) localStorage.removeItem(TOKEN);
      } catch {
        // See above.
      }
      dialog.close();
      dialog.remove();
      asking = null;
      done();
    });
    document.body.append(dialog);
    dialog.showModal();
    field.focus();
  });
  return asking;
}

/**
 * Reads the stream of events until it ends or `signal` stops it: by fetch and not EventSource, which could not send a token.
 * Calls `opened()` once, then `event(data)` for each.
 */
export async function stream(path, { signal, last, opened, event }) {
  const response = await fetch(BASE + path, {
    cache: "no-store",
    headers: authorised({ accept: "text/event-stream", ...(last ? { "last-event-id": String(last) } : {}) }),
    signal,
  });
  if (response.status === 401) {
    await askToken(token !== "");
    return;
  }
  if (!response.ok) throw await problem(response);
  opened();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let data = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    // A stream without ends of lines is not of the daemon.
    if (rest.length > 1 << 20) throw new Problem(0, { detail: t`the stream of events makes no sense` });
    for (const line of lines) {
      if (line === "") {
        if (data) event(JSON.parse(data));
        data = "";
      } else if (line.startsWith("data:")) {
        data += line.slice(line[5] === " " ? 6 : 5);
      }
    }
  }
}
