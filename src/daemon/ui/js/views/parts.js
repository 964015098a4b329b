// What several views show: the state of a job, its buttons, a feed of events, what to say when there is nothing.

import { get, newKey, post, remove } from "../api.js";
import { attr, button, careful, h, say, toast } from "../dom.js";
import { STATES, clock, isOver, moment, moves, reason, stateOf } from "../format.js";
import { between } from "../gameboard.js";
import { t } from "../language.js";
import { forget, learn } from "../live.js";

/** The state of a job, kept up to date by `pill.set(job)`. */
export function pill() {
  const node = h("span", { class: "pill" });
  node.set = (job) => {
    attr(node, "class", `pill ${job.state}`);
    say(node, stateOf(job));
    attr(node, "title", reason(job.reason) || null);
  };
  return node;
}

const COMMANDS = { pause: t`Pause`, resume: t`Resume`, retry: t`Try again`, drain: t`Drain`, cancel: t`Cancel` };

/** Sends a command for a job, and shows why it failed if it does. */
export async function command(id, what) {
  try {
    learn(await post(`/jobs/${id}/${what}`));
  } catch (problem) {
    toast(t`Job ${id}: \u201c${COMMANDS[what]}\u201d failed: ${problem.message}`, "bad");
  }
}

/** Submits a job with the settings of another one, and shows it. */
async function submitAgain(id) {
  try {
    const { after, not_before, ...request } = await get(`/jobs/${id}/request`);
    const job = await post("/jobs", request, { "idempotency-key": newKey() });
    learn(job);
    toast(t`Job ${job.id} has the settings of job ${id}.`);
    location.hash = `#/jobs/${job.id}`;
  } catch (problem) {
    toast(t`Job ${id} could not be submitted again: ${problem.message}`, "bad");
  }
}

/** The buttons of a job, kept up to date by `buttons.set(job)`. */
export function jobButtons(id, { quiet = true, all = false, removed } = {}) {
  const pause = button(t`Pause`, { glyph: "pause", quiet, onclick: () => command(id, "pause") });
  const resume = button(t`Resume`, { glyph: "play", quiet, onclick: () => command(id, "resume") });
  const retry = button(t`Try again`, { glyph: "restart", quiet, onclick: () => command(id, "retry") });
  const drain = button(t`Drain`, { glyph: "drain", quiet, onclick: () => command(id, "drain") });
  drain.title = t`End when the running units end`;
  const cancel = careful(t`Cancel`, t`Really cancel?`, () => command(id, "cancel"), { glyph: "stop" });
  cancel.setAttribute("aria-label", t`Cancel job ${id}; press twice`);
  const gone = careful(t`Remove`, t`Really remove?`, async () => {
    try {
      await remove(`/jobs/${id}`);
      forget(id);
      toast(t`Job ${id} was removed; its grids stay in the archive.`);
      removed?.();
    } catch (problem) {
      toast(t`Job ${id} could not be removed: ${problem.message}`, "bad");
    }
  });
  const again = button(t`Submit again`, { glyph: "redo", quiet, onclick: () => submitAgain(id) });
  again.title = t`A new job with the same settings`;
  const node = h("div", { class: "row buttons" }, pause, resume, retry, all && drain, all && again, cancel, all && gone);
  node.set = (job) => {
    const over = isOver(job);
    pause.hidden = over || job.state === "paused" || job.state === "draining";
    resume.hidden = over || job.state !== "paused";
    retry.hidden = job.state !== "failed";
    drain.hidden = over || job.state === "draining";
    cancel.hidden = over;
    gone.hidden = !over;
  };
  return node;
}

/** What an event says: [text, kind]. */
export function told(event) {
  switch (event.event) {
    case "started": return [t`The daemon started (version ${event.version})`, "daemon"];
    case "submitted": return [t`was submitted: ${event.name}`, "job"];
    case "state": {
      const now = event.state === "failed" ? t`has failed` : t`is ${STATES[event.state] || event.state}`;
      return [event.reason ? t`${now}: ${reason(event.reason)}` : now, event.state === "failed" ? "bad" : "job"];
    }
    case "best": {
      const found = moves(event.score);
      return [event.record ? t`found ${found}, the known record ${event.record}` : event.new ? t`found ${found}, a new grid` : t`found ${found}`,
        event.new ? "new" : "best"];
    }
    case "bounds": {
      const value = between(event.lower, event.upper);
      return event.settled ? [t`is solved: ${value}`, "best"] : [t`is worth ${value}`, "job"];
    }
    case "distrusted": return [t`worker ${event.worker} was wrong too often and is no longer trusted`, "bad"];
    case "notice": return [event.text, "bad"];
    case "unit_failed": return [t`unit ${event.unit} failed (attempt ${event.attempts}): ${event.error}`, "bad"];
    default: return [event.event, "job"];
  }
}

/** One event as an item of a list. */
export function eventItem(event, withJob = true) {
  const [text, kind] = told(event);
  return h("li", { class: `event ${kind}` },
    h("time", { class: "faint num", datetime: new Date(event.time * 1000).toISOString(), title: moment(event.time) }, clock(event.time)),
    h("span", {}, withJob && event.job && [h("a", { href: `#/jobs/${event.job}` }, t`Job ${event.job}`), " "],
      event.event === "best" && event.grid ? h("a", { class: "plain", href: `#/grids/${event.grid}` }, text) : text));
}

/** The points of a job's course, [seconds, score]; before its first grid there is nothing to draw. */
export const course = (statistics) => statistics.course.filter((p) => p.best > 0).map((p) => [p.seconds, p.best]);

/** The events without those bests that the same job surpassed within a minute: a young hunt has dozens. */
export function calm(events) {
  const newer = new Map();
  return events.filter((event) => {
    if (event.event !== "best") return true;
    const after = newer.get(event.job);
    newer.set(event.job, event.time);
    return after === undefined || after - event.time > 60;
  });
}

/** Nothing is there: what that means, and what to do. */
export const blank = (strong, text, ...more) => h("div", { class: "blank" }, h("strong", {}, strong), text && h("p", {}, text), ...more);

/** Something went wrong: what, and how to try again. */
export function failed(problem, again) {
  return h("div", { class: "note bad stack", role: "alert" }, h("p", {}, problem.message),
    again && h("div", {}, button(t`Try again`, { onclick: again })));
}

/** Score against the best known one: `158 / 178`. */
export const against = (score, record) => h("span", { class: "num" }, String(score), h("span", { class: "faint" }, ` / ${record}`));
