// What the page knows of the daemon, kept up to date: by the stream of events, and by asking every few seconds while there is no
// stream. Everything is bounded, since the page may stay open for weeks; those who draw are told at most four times a second,
// and not at all while nobody looks.

import { get, query, stream } from "./api.js";
import { isOver } from "./format.js";
import { CODES } from "./rules.js";

const EVENTS = 200;
const JOBS = 300;
const DRAW_MS = 250;
const POLL_MS = 4000;
const SLOW_MS = 15_000;
const UNSEEN_MS = 60_000;

export const state = {
  /** connecting, live, polling (no stream, but answers) or offline. */
  link: "connecting",
  /** Why it is not live. */
  trouble: "",
  health: null,
  /** Jobs by number: all that are not over, as far as there are not too many, and the newest ones. */
  jobs: new Map(),
  loaded: false,
  workers: [],
  /** The workers on other machines, as `/machines` has them; null before it was asked for. */
  pool: null,
  /** Newest first; progress is not among them. */
  events: [],
  /** The best grid of each variant that a job has found: {key, score, job, time, record}. */
  best: Object.fromEntries(CODES.map((code) => [code, null])),
};

const listeners = new Set();
const hearers = new Set();
let drawing = 0;

/** Calls `draw` when something changed, not too often; returns how to stop that. */
export function subscribe(draw) {
  listeners.add(draw);
  return () => listeners.delete(draw);
}

/** Calls `hear` with every event that comes in; returns how to stop that. */
export function hear(handler) {
  hearers.add(handler);
  return () => hearers.delete(handler);
}

/** Has everything drawn soon. */
export function changed() {
  if (drawing || document.hidden) return;
  drawing = setTimeout(() => {
    drawing = 0;
    requestAnimationFrame(() => listeners.forEach((draw) => draw()));
  }, DRAW_MS);
}

/** Takes in a job as the daemon tells it. */
export function learn(job) {
  const before = state.jobs.get(job.id);
  if (state.link !== "live" && before && job.best > (before.best ?? 0)) {
    // No event tells it while there is no stream.
    const { id, best: score, best_grid, seconds } = job;
    hearers.forEach((handler) => handler({ event: "best", job: id, score, grid: best_grid, seconds }));
  }
  state.jobs.set(job.id, job);
  if (job.variant && job.best_grid && job.best > (state.best[job.variant]?.score ?? 0)) {
    state.best[job.variant] = { key: job.best_grid, score: job.best, job: job.id, time: null, record: null };
  }
  if (state.jobs.size > JOBS) {
    const spare = [...state.jobs.values()].filter(isOver).sort((a, b) => a.id - b.id);
    for (const old of spare.slice(0, state.jobs.size - JOBS)) state.jobs.delete(old.id);
  }
  changed();
}

/** The job was removed. */
export function forget(id) {
  state.jobs.delete(id);
  changed();
}

async function loadJobs() {
  const asked = [{ limit: 40 }, { state: "running", limit: 100 }, { state: "paused", limit: 50 }, { state: "draining", limit: 50 },
    { state: "queued", limit: 50 }];
  const lists = await Promise.all(asked.map((q) => get(`/jobs${query({ ...q, settings: "short" })}`)));
  const seen = new Map();
  // These have the beginnings of long settings only, and settings never change.
  const whole = (job) => state.jobs.get(job.id)?.settings ?? job.settings;
  for (const list of lists) for (const job of list.items) seen.set(job.id, { ...job, settings: whole(job) });
  for (const id of state.jobs.keys()) if (!seen.has(id)) state.jobs.delete(id);
  seen.forEach(learn);
  state.loaded = true;
}

async function loadBests() {
  await Promise.all(CODES.map(async (variant) => {
    // The longest ones may be records that somebody sent; what a job found is of more interest.
    const { items } = await get(`/grids${query({ variant, limit: 20 })}`);
    const top = items.find((grid) => grid.job !== null && grid.job !== undefined) || items[0];
    const known = state.best[variant];
    if (!top || (known && known.score > top.score)) return;
    state.best[variant] = { key: top.key, score: top.score, job: top.job, time: top.time, record: top.record };
  }));
}

async function loadHealth() {
  state.health = await get("/health");
}

async function loadWorkers() {
  const answer = await get("/workers");
  state.workers = Array.isArray(answer) ? answer : answer.items;
  // A daemon without other machines is asked once.
  if (state.pool?.open !== false) state.pool = await get("/machines");
}

/** Asks for a running solver job every two seconds: what is known of its moves comes with no event. Returns how to end that. */
export function watch(id) {
  const timer = setInterval(() => {
    const job = state.jobs.get(id);
    if (!document.hidden && job && !isOver(job)) refresh(id);
  }, 2000);
  return () => clearInterval(timer);
}

const wanted = new Set();
let fetching = 0;

/** Asks for a job again soon, once for many events about it. */
function refresh(id) {
  wanted.add(id);
  fetching ||= setTimeout(async () => {
    const ids = [...wanted];
    wanted.clear();
    fetching = 0;
    try {
      if (ids.length > 20) await loadJobs();
      else await Promise.all(ids.map((n) => get(`/jobs/${n}`).then(learn, (e) => e.status === 404 && forget(n))));
      await loadHealth();
    } catch {
      // The next event, or the polling, asks again.
    }
    changed();
  }, 400);
}

/** Number of the last event that was seen; the next visit begins to read a little before it. */
let lastEvent = 0;
const SEEN = "morpion.event";

/** Puts an event into the list; says whether it was not there yet. */
function remember(event) {
  const at = state.events.findIndex((known) => known.id <= event.id);
  if (state.events[at]?.id === event.id) return false;
  state.events.splice(at < 0 ? state.events.length : at, 0, event);
  if (state.events.length > EVENTS) state.events.length = EVENTS;
  if (event.id > lastEvent) {
    lastEvent = event.id;
    try {
      localStorage.setItem(SEEN, String(lastEvent));
    } catch {
      // Then the next visit reads all of them.
    }
  }
  return true;
}

/** How to end the streams that are open. */
const open = new Set();

// A page that is left may be kept for the way back, with its connections, of which there are few: they are given up. When it is
// shown again, the stream is found to have ended, and is read again.
addEventListener("pagehide", () => open.forEach((stop) => stop.abort()));

let past = false;

/** Reads what happened before the page was opened, once: by a stream that is left as soon as it falls silent. */
async function readPast() {
  if (past) return;
  past = true;
  let seen = 0;
  try {
    seen = Number(localStorage.getItem(SEEN)) || 0;
  } catch {
    // All of them, then.
  }
  const after = Math.max(0, seen - EVENTS);
  const stop = new AbortController();
  open.add(stop);
  let timer = setTimeout(() => stop.abort(), 5000);
  await stream(`/events${query({ after: after || "0" })}`, {
    signal: stop.signal,
    opened: () => {},
    event: (event) => {
      if (event.event === "progress") return;
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), 1500);
      remember(event);
      changed();
    },
  }).catch(() => {});
  open.delete(stop);
  clearTimeout(timer);
  // A store that was begun anew counts from 1 again.
  if (!state.events.length && after > 0) {
    localStorage.removeItem(SEEN);
    past = false;
    readPast();
  }
}

function take(event) {
  if (event.event !== "progress" && !remember(event)) return;
  const job = state.jobs.get(event.job);
  switch (event.event) {
    case "progress":
      if (job) {
        const { iterations, rate, units_done, workers, seconds, best } = event;
        Object.assign(job, { iterations, rate, units_done, workers, seconds });
        // As the daemon says it: a job without workers is queued, and may have a reason.
        const now = workers ? "running" : "queued";
        const turned = now !== job.state && ["running", "queued"].includes(job.state);
        if (turned) job.state = now;
        if (turned || best > (job.best ?? 0)) refresh(event.job);
      } else if (event.job) refresh(event.job);
      break;
    case "best":
      // A grid from another start than the cross is not in the archive, and of another category.
      if (job?.variant && event.grid && event.score > (state.best[job.variant]?.score ?? 0)) {
        state.best[job.variant] =
          { key: event.grid, score: event.score, job: event.job, time: event.time, record: event.record };
      }
      if (job && event.score > (job.best ?? 0)) Object.assign(job, { best: event.score, best_grid: event.grid });
      refresh(event.job);
      break;
    case "bounds":
      if (job?.solution) Object.assign(job.solution, { lower: event.lower, upper: event.upper, settled: event.settled });
      refresh(event.job);
      break;
    case "submitted":
    case "state":
    case "unit_failed":
      if (event.job) refresh(event.job);
      break;
    default:
  }
  hearers.forEach((handler) => handler(event));
  changed();
}

async function loadAll() {
  await Promise.all([loadHealth(), loadJobs(), loadWorkers(), loadBests()]);
}

function link(now, trouble = "") {
  state.link = now;
  state.trouble = trouble;
  changed();
}

const seen = () => new Promise((done) => {
  if (!document.hidden) done();
  else document.addEventListener("visibilitychange", done, { once: true });
});

/**
 * Reads the stream, again and again, with longer and longer pauses while it fails. A browser opens six connections to a host at
 * most, so a tab that nobody has looked at for a while gives its own back and asks now and then.
 */
async function follow() {
  let pause = 1000;
  for (;;) {
    await seen();
    const stop = new AbortController();
    open.add(stop);
    let unseen;
    const watch = () => {
      clearTimeout(unseen);
      if (document.hidden) unseen = setTimeout(() => stop.abort(), UNSEEN_MS);
    };
    document.addEventListener("visibilitychange", watch);
    let quiet;
    // A daemon sends a comment or an event every few seconds; a stream that says nothing for so long is dead.
    const alive = () => {
      clearTimeout(quiet);
      quiet = setTimeout(() => stop.abort(), 90_000);
    };
    try {
      alive();
      await stream("/events", {
        signal: stop.signal,
        last: lastEvent,
        opened: () => {
          pause = 1000;
          link("live");
          readPast();
          // What happened while there was no stream is in the lists.
          loadAll().then(changed, () => {});
        },
        event: (event) => {
          alive();
          take(event);
        },
      });
    } catch {
      // Told below; the polling says whether the daemon answers at all.
    }
    open.delete(stop);
    clearTimeout(quiet);
    clearTimeout(unseen);
    document.removeEventListener("visibilitychange", watch);
    if (state.link === "live") link("connecting");
    await new Promise((done) => setTimeout(done, pause * (0.8 + 0.4 * Math.random())));
    pause = Math.min(pause * 2, 30_000);
  }
}

async function poll() {
  let slow = 0;
  for (;;) {
    const began = Date.now();
    if (!document.hidden || state.link !== "live") {
      try {
        if (state.link !== "live" || began - slow > SLOW_MS) {
          slow = began;
          await loadAll();
          if (state.link !== "live") link("polling");
        } else {
          await loadWorkers();
        }
        changed();
      } catch (problem) {
        if (problem.unreachable || problem.status >= 500) {
          if (state.link !== "live" || problem.unreachable) link("offline", problem.message);
        }
      }
    }
    await new Promise((done) => setTimeout(done, document.hidden ? 10 * POLL_MS : POLL_MS));
  }
}

/** Begins; called once. */
export function begin() {
  document.addEventListener("visibilitychange", () => !document.hidden && changed());
  follow();
  poll();
}

const grids = new Map();

/** Forgets a grid that was removed from the archive. */
export const forgetGrid = (key) => grids.delete(key);

/** A grid with its moves; the last hundred or so are kept. */
export function grid(key) {
  let known = grids.get(key);
  if (known) {
    grids.delete(key);
  } else {
    known = get(`/grids/${encodeURIComponent(key)}`);
    known.catch(() => grids.delete(key));
    if (grids.size >= 120) grids.delete(grids.keys().next().value);
  }
  grids.set(key, known);
  return known;
}
