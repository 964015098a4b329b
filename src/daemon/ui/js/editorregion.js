// The region of questions about life in the editor of Go: the points where the attacker plays, as somebody has drawn them, for each game
// of the file. Nothing here is drawn.

import { between, textOf } from "./points.js";

export class EditorRegion {
  constructor(session) {
    this.session = session;
    this.reset();
  }

  /** The trees are other ones: no region is drawn. */
  reset() {
    /** The points of each game by its first node, and the drag that is under way: {from, to}. */
    [this.kept, this.stretch] = [new WeakMap(), null];
  }

  /** Whether the board's clicks and drags mark points. */
  get isOn() {
    return this.session.tool === "region" && !this.session.isWalking;
  }

  /** The points of the game at hand, with what a drag that is under way makes of them. */
  get points() {
    const { kept, session, stretch } = this;
    const points = kept.get(session.first) ?? [];
    return stretch && session.view ? this.#with(points, stretch) : points;
  }

  /** The text of the region for the API; empty if none is drawn. */
  get text() {
    return textOf(this.session.view, this.points);
  }

  /** The points with those of a rectangle; without them if it begins on one that is marked. */
  #with(points, { from, to }) {
    const within = between(this.session.view, from, to);
    const others = points.filter((name) => !within.includes(name));
    return points.includes(from) ? others : [...others, ...within];
  }

  #keep(points) {
    this.kept.set(this.session.first, points);
    this.stretch = null;
    this.session.changed();
  }

  /** Marks a point, or takes its mark away. */
  pick(name) {
    this.drag({ from: name, to: name }, true);
  }

  /** A drag from one point to another: so far, or to its end. Without one it was broken off. */
  drag(stretch, isOver) {
    this.stretch = this.session.isReady ? stretch : null;
    if (isOver) this.#keep(this.points);
    else this.session.changed();
  }

  clear() {
    this.#keep([]);
  }
}
