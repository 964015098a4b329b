// The parts of a proof's page: what is to be proved, how much of it is closed, what that took, and what is left.

import { CourseChart } from "../chart.js";
import { h, say, show } from "../dom.js";
import { count, decimal, short, tick } from "../format.js";
import { t } from "../language.js";
import { card, factsCard, shareBar } from "./cards.js";

/** The closed part in percent; 100 only of a complete proof. */
export const closed = (proof) => (proof.end === "proved" ? t`proved` : `${decimal((Math.min(Math.floor(1e4 * proof.closed), 9999) / 100).toFixed(2))} %`);

const percent = (v) => (Number.isFinite(v) ? t`${decimal(v.toFixed(2))} % closed` : t`nothing closed`);

/** Where the proof is, in words. */
function verdict({ end, moves }) {
  if (end === "proved") return t`There is no grid of ${moves} moves or more in the region.`;
  if (end === "grid") return t`There is a grid of ${moves} moves in the region.`;
  return t`Part of the tree that is closed, by volume: a case that is split counts as two halves, which differ much in size.`;
}

/** A region as the daemon calls it, in the language of the page. */
function regionName(region) {
  const [, sides] = /^the box (.+)$/.exec(region) || [];
  const [, moves] = /^the octagon hull of a grid of (\d+) moves$/.exec(region) || [];
  if (sides) return t`the box ${sides}`;
  return moves ? t`the octagon hull of a grid of ${moves} moves` : region;
}

/** The statement and the closed part. */
export function proofCard() {
  const statement = h("p", {});
  const value = h("strong", { class: "score num" });
  const bar = shareBar(t`closed part`);
  const words = h("p", { class: "small" });
  const left = h("p", { class: "small" });
  const node = card(t`Proof`, h("div", { class: "stack" }, statement, value, bar, words, left));
  node.draw = ({ proof }) => {
    show(node, Boolean(proof));
    if (!proof) return;
    say(statement, t`To be proved: no grid of ${proof.moves} moves lies in ${regionName(proof.region)}, which has ${count(proof.points)} points beyond the cross.`);
    say(value, closed(proof));
    bar.set(proof.end === "proved" ? 100 : 100 * proof.closed);
    say(words, verdict(proof));
    show(left, Boolean(proof.left));
    if (proof.left) {
      const { nodes, shapes, cpu_seconds, dives } = proof.left;
      say(left, t`Left, by ${count(dives)} random descents: about ${short(Math.round(nodes))} cases and ${short(Math.round(shapes))} sets of points, ${tick(cpu_seconds)} of CPU time. Such estimates scatter widely.`);
    }
  };
  return node;
}

/** What is open and what it took. */
export const proofFactsCard = () => factsCard(t`Numbers of the proof`, "proof", [["open", t`Units open`], ["done", t`Units done`], ["nodes", t`Cases`],
  ["programs", t`Linear programs`], ["shapes", t`Point sets refuted`], ["conflicts", t`Conflicts`], ["grids", t`Grids met`], ["time", t`Has run`], ["cpu", t`CPU time`],
  ["workers", t`Workers`]], (rows, proof) => {
  say(rows.open, count(proof.units_open));
  say(rows.done, count(proof.units_done));
  for (const name of ["nodes", "programs", "shapes", "conflicts"]) {
    say(rows[name], short(proof[name]));
    rows[name].title = count(proof[name]);
  }
  say(rows.grids, count(proof.grids));
});

/** The closed part against time. */
export function closedCard() {
  const chart = new CourseChart({ height: 220, label: t`Percent closed against time`, text: percent });
  const node = card(t`Percent closed against time`, chart.element);
  let points = [];
  node.hidden = true;
  node.statistics = (view) => { if (view.proof) points = view.proof.course.map((p) => [p.seconds, 100 * p.closed]); };
  node.draw = (job) => {
    show(node, Boolean(job.proof));
    if (!job.proof) return;
    const end = Math.max(job.seconds, points.at(-1)?.[0] ?? 0);
    chart.set([{ name: job.name, points: [...points, [end, 100 * job.proof.closed]], end }]);
  };
  node.stop = () => chart.destroy();
  return node;
}
