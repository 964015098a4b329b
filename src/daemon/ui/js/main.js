// The frame: which view an address shows, the state of the connection, the colours.

import { announce, attr, h, say } from "./dom.js";
import { moves } from "./format.js";
import { languages, t } from "./language.js";
import { begin, hear, state, subscribe } from "./live.js";
import { themes } from "./themes.js";
import analyseform from "./views/analyseform.js";
import archive from "./views/archive.js";
import board from "./views/boarddaemon.js";
import checkform from "./views/checkform.js";
import compare from "./views/compare.js";
import credit from "./views/credit.js";
import dashboard from "./views/dashboard.js";
import editor from "./views/editor.js";
import games from "./views/games.js";
import grid from "./views/grid.js";
import job from "./views/job.js";
import jobs from "./views/jobs.js";
import matchform from "./views/matchform.js";
import mineform from "./views/mineform.js";
import planform from "./views/planform.js";
import selfplayform from "./views/selfplayform.js";
import submit from "./views/submit.js";
import tacticsform from "./views/tacticsform.js";
import tuneform from "./views/tuneform.js";

const ROUTES = [
  [/^\/?$/, dashboard],
  [/^\/jobs$/, jobs],
  [/^\/jobs\/(\d+)$/, job],
  [/^\/archive$/, archive],
  [/^\/grids\/([\w.-]+)$/, grid],
  [/^\/compare\/([\w.-]+)\/([\w.-]+)$/, compare],
  [/^\/credit$/, credit],
  [/^\/credit\/users\/([^/]+)$/, credit],
  [/^\/board$/, board],
  [/^\/games$/, games],
  [/^\/editor$/, editor],
  [/^\/submit$/, submit],
  [/^\/match$/, matchform],
  [/^\/selfplay$/, selfplayform],
  [/^\/analyse$/, analyseform],
  [/^\/tune$/, tuneform],
  [/^\/tactics$/, tacticsform],
  [/^\/mine$/, mineform],
  [/^\/plan$/, planform],
  [/^\/check$/, checkform],
];

const main = document.getElementById("main");
let shown = null;

function parse() {
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  return { path: path || "/", query: new URLSearchParams(query) };
}

function route() {
  const { path, query } = parse();
  // A view may take a change of its own address in without being built anew.
  if (shown?.path === path && shown.view.update?.(query)) return;
  const first = shown === null;
  shown?.view.destroy?.();
  main.replaceChildren();
  const [match, view] = ROUTES.map(([pattern, make]) => [pattern.exec(path), make]).find(([m]) => m) || [];
  const made = match ? view({ params: match.slice(1), query }) : lost(path);
  shown = { path, view: made };
  main.append(made.element);
  document.title = `${made.title} \u00b7 morpion`;
  for (const link of document.querySelectorAll(".pages a")) attr(link, "aria-current", link.dataset.page === made.page && "page");
  if (!first) {
    scrollTo(0, 0);
    const heading = main.querySelector("h1");
    if (heading) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    }
  }
}

function lost(path) {
  return {
    title: t`Not found`,
    element: h("div", { class: "blank" }, h("h1", {}, t`There is no such page`),
      h("p", {}, t`Nothing is at ${path}.`), h("a", { href: "#/" }, t`To the dashboard`)),
  };
}

const LINK = { connecting: t`connecting`, live: t`live`, polling: t`polling`, offline: t`offline` };

function drawLink() {
  const place = document.getElementById("link");
  attr(place, "data-state", state.link);
  const health = state.health;
  const busy = state.link === "live" && health ? t`${health.busy} of ${health.workers} busy` : LINK[state.link];
  say(document.getElementById("link-text"), busy);
  place.title = state.link === "offline" ? t`${state.trouble}; tries again by itself`
    : state.link === "polling" ? t`no stream of events: asks every few seconds` : t`events come as they happen`;
  const wrong = health && health.status !== "ok" ? health.status : "";
  let note = document.getElementById("trouble");
  const text = state.link === "offline" ? t`No answer: ${state.trouble}. Is it running? What is shown is what it said last; the page tries again by itself.`
    : wrong && t`The daemon says: ${wrong}`;
  if (text && !note) {
    note = h("p", { class: "note bad trouble", id: "trouble", role: "alert" });
    main.after(note);
  }
  if (note) {
    say(note, text);
    note.hidden = !text;
  }
}

languages();
themes();
addEventListener("hashchange", route);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
subscribe(drawLink);
// New bests are read aloud, at most one in ten seconds: a young hunt has many.
let spoken = 0;
hear((event) => {
  if (event.event === "best" && Date.now() - spoken > 10_000) {
    spoken = Date.now();
    announce(t`Job ${event.job} has a new best: ${moves(event.score)}`);
  }
});
// A mark in the title tells who looks elsewhere that there is a new best.
hear((event) => {
  if (event.event === "best" && document.hidden && !document.title.startsWith("\u25cf")) document.title = `\u25cf ${document.title}`;
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) document.title = document.title.replace(/^\u25cf /, "");
});
route();
begin();
