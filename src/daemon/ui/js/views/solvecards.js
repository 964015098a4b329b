// The cards of the page of two-player games for solutions: the form that has the position solved, and the job that
// does it.

import { newKey, post } from "../api.js";
import { attr, button, careful, h, say, show } from "../dom.js";
import { duration, isOver, short } from "../format.js";
import { between } from "../gameboard.js";
import { t, tc } from "../language.js";
import { amount, seconds } from "../settings.js";
import { refusal } from "./fields.js";
import { choice, input } from "./gamefields.js";
import { command, pill } from "./parts.js";
import { verdict } from "./solution.js";

/** The job that solves a position of this game, with what it knows so far. */
export function jobCard(session) {
  const [status, value, words, link] = [pill(), h("strong", { class: "score num" }), h("p", {}), h("a", {}, "")];
  const [known, ended] = [h("p", { class: "small num" }), h("p", { class: "note small", role: "status", hidden: true })];
  const other = h("p", { class: "faint small", hidden: true }, t`The job solves another position than the one on the board; the values belong to that one.`);
  const cancel = careful(t`Cancel`, t`Really cancel?`, async () => {
    cancel.disabled = true;
    await command(session.job, "cancel");
    cancel.disabled = false;
  }, { glyph: "stop" });
  const node = h("section", { class: "card stack", "aria-label": t`Solver`, hidden: true }, h("header", {}, h("h2", {}, t`Solver`), status),
    h("div", { class: "row base" }, value, words), known, other, ended, h("div", { class: "row spread" }, h("p", {}, link), cancel));
  node.draw = () => {
    const now = session.currentJob();
    show(node, Boolean(now?.solution));
    if (!now?.solution) return;
    const { solution: found } = now;
    status.set(now);
    say(value, between(found.lower, found.upper));
    say(words, verdict(found));
    // Bounds that the whole board would allow say nothing.
    const most = found.game === "gomoku" ? 1 : found.width * found.height;
    const bounded = found.moves.filter(({ lower, upper }) => (lower ?? -most) > -most || (upper ?? most) < most).length;
    say(known, t`${short(Math.max(found.nodes, now.iterations))} nodes in ${duration(now.seconds)}; something is known of ${bounded} of ${found.moves.length} moves.`);
    attr(link, "href", `#/jobs/${now.id}`);
    say(link, t`Job ${now.id}: ${now.name}`);
    show(other, !session.solution());
    say(ended, now.state === "cancelled" ? t`The job was cancelled. What it has found stays here.` : "");
    show(ended, now.state === "cancelled");
    show(cancel, !isOver(now) && now.pending !== "cancelling");
  };
  return node;
}

/** What can be asked of the solver besides its goal. */
const solverFields = () => ({
  workers: input(t`Workers at once`, { type: "number", name: "workers", placeholder: tc("workers", "all"), min: 1, step: 1 }),
  seconds: input(t`Time`, { type: "text", name: "seconds", placeholder: t`no limit`, pattern: "([0-9.]+[smhd]?)+" }, "30m, 12h"),
  user: input(t`Credit goes to`, { type: "text", name: "user", placeholder: "local", maxlength: 64 }),
  memory: input(t`Memory per worker`, { type: "text", name: "memory", placeholder: "64M", pattern: "[0-9]+[kKMG]?" }),
  unit_budget: input(t`Nodes per unit`, { type: "text", name: "unit_budget", placeholder: "20M", pattern: "[0-9_]+[kMG]?" }),
  initial_depth: input(t`Plies before units`, { type: "number", name: "initial_depth", placeholder: "0", min: 0, max: 60, step: 1 }),
  quorum: input(t`Workers that must agree`, { type: "number", name: "quorum", placeholder: "1", min: 1, max: 9, step: 1 }),
  priority: input(t`Priority`, { type: "number", name: "priority", placeholder: "0", min: -100, max: 100, step: 1 }),
  name: input(t`Name`, { type: "text", name: "name", placeholder: t`made from the position`, maxlength: 80 }),
});

/** The request for a job that solves the position at hand, from the fields of the form. */
function requestOf(session, goal, threshold, fields) {
  const given = (name) => fields[name].field.value.trim();
  const settings = session.question();
  if (goal === "threshold") settings.threshold = Number(threshold);
  else if (goal !== "exact") settings.value = goal;
  for (const name of ["user", "memory"]) if (given(name)) settings[name] = given(name);
  for (const name of ["quorum", "initial_depth"]) if (given(name)) settings[name] = Number(given(name));
  if (given("unit_budget")) settings.unit_budget = amount(given("unit_budget")) ?? given("unit_budget");
  const limits = {};
  if (given("workers")) limits.workers = Number(given("workers"));
  if (given("seconds")) limits.seconds = seconds(given("seconds"));
  const body = { kind: "solve", settings, limits };
  if (given("name")) body.name = given("name");
  if (given("priority")) body.priority = Number(given("priority"));
  return body;
}

/** Why a solution will most likely not come to its end, in words. */
function farText({ game, beyond_reach: { empty, most, by_threats: byThreats } }) {
  if (game === "reversi") return t`This solution will most likely not end: ${empty} cells are empty. On boards above 6x6 the solver comes to the end from about ${most} empty cells.`;
  if (game === "go") return t`This solution will most likely not end: ${empty} points are empty. The solver has come to the end from ${most} at most.`;
  if (byThreats) return t`If threats prove that one side wins, this solution ends within minutes. Otherwise it will most likely not end: ${empty} points are empty, and all moves have been searched from ${most} at most.`;
  return t`This solution will most likely not end: ${empty} points are empty, and all moves have been searched from ${most} at most.`;
}

/** The form that submits a solver job for the position at hand. It asks once more if that will most likely not end. */
export function solveCard(session) {
  const goal = choice(t`Find out`, [["exact", t`the value`], ["win-loss-draw", t`who wins`], ["threshold", t`whether it is at least \u2026`]],
    () => show(threshold.node, goal.field.value === "threshold"), { name: "goal" });
  const threshold = input(t`At least`, { type: "number", name: "threshold", value: 1, step: 1, min: -1000, max: 1000 });
  show(threshold.node, false);
  const fields = solverFields();
  const trouble = h("p", { class: "problem", role: "alert", hidden: true });
  const playOnly = h("p", { class: "help", hidden: true }, t`Boards larger than 7x7 are for play: the solver does not take them.`);
  const why = h("p", { class: "small" });
  const far = h("div", { class: "note warn stack tight", role: "alert", hidden: true }, why,
    h("p", { class: "small" }, t`An analysis tells within seconds what moves are probably worth.`));
  const send = button(t`Solve this position`, { kind: "main", type: "submit", glyph: "hunt", disabled: true });
  const more = h("details", {}, h("summary", {}, t`More`),
    h("div", { class: "fields narrow" }, ["user", "memory", "unit_budget", "initial_depth", "quorum", "priority", "name"].map((n) => fields[n].node)));
  const form = h("form", { class: "stack", onsubmit: (event) => { event.preventDefault(); submit(); } },
    h("div", { class: "fields narrow" }, goal.node, threshold.node, fields.workers.node, fields.seconds.node),
    more, trouble, playOnly, far, h("div", {}, send));
  const node = h("section", { class: "card stack", "aria-label": t`Solve` }, h("h2", {}, t`Solve`), form);
  /** The position that somebody was warned about. */
  let warned = null;
  node.draw = () => {
    const { view, tool, game } = session;
    if (!view || view.game !== game) return;
    send.disabled = !view.solvable || session.isOver() || Boolean(tool && !view.legal.length);
    show(playOnly, !view.solvable);
    const warns = Boolean(view.beyond_reach) && warned === view.position;
    if (warns) say(why, farText(view));
    show(far, warns);
    say(send.querySelector("span"), warns ? t`Solve nevertheless` : t`Solve this position`);
  };

  let key = newKey();
  async function submit() {
    const { view } = session;
    if (view.beyond_reach && warned !== view.position) {
      warned = view.position;
      session.changed();
      return;
    }
    trouble.hidden = true;
    for (const one of [threshold, ...Object.values(fields)]) one.complain("");
    send.disabled = true;
    try {
      const job = await post("/jobs", requestOf(session, goal.field.value, threshold.field.value, fields), { "idempotency-key": key });
      [key, warned] = [newKey(), null];
      session.follow(job);
    } catch (problem) {
      if (!problem.unreachable) key = newKey();
      const { name, text } = refusal(problem.message);
      const field = name === "threshold" ? threshold : fields[name];
      if (field) {
        more.open ||= more.contains(field.node);
        field.complain(text);
        field.field.focus();
      } else {
        say(trouble, text);
        trouble.hidden = false;
      }
    }
    send.disabled = false;
    session.changed();
  }
  return node;
}
