// The count of a finished game in the editor of Go: which chains are dead or in seki, the rules and the komi that somebody chose, and
// what the daemon counts. Nothing here is drawn.

import { post } from "./api.js";
import { placeOf } from "./gameboard.js";
import { OF_POSITION, placeOfNode } from "./gametree.js";

/** What a click marks while a game is counted. */
export const SCORE_TOOLS = ["dead", "seki"];
/** The properties that a count follows from. */
const OF_SCORE = [...OF_POSITION, "KM", "RU", "RE"];

export class EditorScore {
  constructor(session) {
    this.session = session;
    this.asked = 0;
    this.reset();
  }

  /** The trees are other ones: nothing is marked, and rules and komi are those of the file. */
  reset() {
    this.marks = new WeakMap();
    [this.rules, this.komi] = ["", ""];
    [this.found, this.counted, this.refusal] = [null, null, ""];
    this.asked += 1;
  }

  get isOn() {
    return SCORE_TOOLS.includes(this.session.tool) && !this.session.isWalking;
  }

  /** A stone of each marked chain of the position at hand, by what it is marked as. */
  get here() {
    const { at, view } = this.session;
    const isStone = (name) => view && view.cells[placeOf(view, name)] !== ".";
    const { dead = [], seki = [] } = this.marks.get(at) ?? {};
    return { dead: dead.filter(isStone), seki: seki.filter(isStone) };
  }

  /** The stones of all chains that are marked so. */
  stones(kind) {
    return this.isOn && this.session.isReady ? this.here[kind].flatMap((name) => this.session.chain(name)) : [];
  }

  /** Marks a chain, or takes its mark away. */
  mark(name, kind) {
    const { session, here } = this;
    if (session.view.cells[placeOf(session.view, name)] === ".") return;
    const stones = session.chain(name);
    const without = (list) => list.filter((one) => !stones.includes(one));
    const next = { dead: without(here.dead), seki: without(here.seki) };
    if (next[kind].length === here[kind].length) next[kind].push(name);
    this.marks.set(session.at, next);
    session.changed();
    this.count();
  }

  /** Counts by other rules or another komi; nothing for those of the file. */
  terms({ rules, komi }) {
    [this.rules, this.komi] = [rules, komi.trim().replace(",", ".")];
    this.count();
  }

  /** Has the position at hand counted; the newest counts. */
  async count() {
    const { session, rules, komi } = this;
    if (!this.isOn || !session.isReady) return;
    const number = ++this.asked;
    const node = session.at;
    try {
      const body = { ...placeOfNode(node, { wanted: OF_SCORE }), ...this.here, ...(rules ? { rules } : {}), ...(komi ? { komi } : {}) };
      const found = await post("/editor/score", body);
      if (number !== this.asked) return;
      [this.found, this.counted, this.refusal] = [found, node, ""];
    } catch (problem) {
      if (number !== this.asked) return;
      [this.found, this.counted, this.refusal] = [null, null, problem.message];
    }
    session.changed();
  }

  /** The count, if it is of the position at hand. */
  get result() {
    return this.isOn && this.counted === this.session.at ? this.found : null;
  }

  /** Puts the result into the first node of the game, and the komi that it rests on. */
  write() {
    const { result, komi } = this.result;
    this.session.note({ RE: [result], ...(this.komi ? { KM: [String(komi)] } : {}) });
    this.count();
  }
}
