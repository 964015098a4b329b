// What the browser's search does for a person at the board: a hint for the next move, the rest of the game from here, and how far
// other positions of the game lead. One at a time, and only for the position that it was asked about. Nothing here is drawn.

import { announce } from "./dom.js";
import { DIRECTION_NAMES, moves as inMoves } from "./format.js";
import { t } from "./language.js";
import { same } from "./rules.js";
import { Search, nextOf } from "./search.js";

/** How long a hint and the rest of a game are looked for, and the rest from each position of a game that is over; longer until one is found. */
const [HINT_MS, FINISH_MS, BACK_MS] = [1000, 8000, 4000];

export class BoardSearch {
  /** `changed()` is called when something is to be drawn anew. */
  constructor(played, changed) {
    this.played = played;
    this.changed = changed;
    /** What is done: nothing, `hint` or `finish`; and whether it still is looked for. */
    this.task = null;
    this.running = false;
    /** The longest game from the position that was met, all of its moves; kept for the next search that begins on its way. */
    this.game = null;
    /** The move that is proposed: {move, needed}. */
    this.hint = null;
    this.failure = "";
    this.search = null;
    this.timer = 0;
    /** Called when a search that `reach` began is ended before its time. */
    this.ended = null;
  }

  /** The moves at hand as a key, so that another position is noticed. */
  #position() {
    return `${this.played.variant} ${this.played.moves.map(({ x, y, d, i }) => [x, y, d, i]).join(" ")}`;
  }

  /** The rest of a game that goes through the position at hand, if it does. */
  #rest(game) {
    const { moves, variant } = this.played;
    if (!game || game.variant !== variant || !moves.every((move) => game.moves.some((other) => same(move, other)))) return [];
    return game.moves.filter((move) => !moves.some((other) => same(move, other)));
  }

  #begin(task, time) {
    this.#end();
    const { variant } = this.played;
    const moves = [...this.played.moves];
    const known = this.#rest(this.game);
    Object.assign(this, { task, running: true, hint: null, failure: "", asked: this.#position(), from: moves.length });
    this.game = known.length ? { variant, moves: [...moves, ...known] } : null;
    this.search = new Search({ variant, moves, known,
      better: (longer) => {
        this.game = { variant, moves: longer };
        this.changed();
      },
      failed: (why) => this.#fail(why) });
    this.timer = this.search.limit(time, () => this.stop());
    this.changed();
  }

  #end() {
    clearTimeout(this.timer);
    this.search?.stop();
    const { ended } = this;
    Object.assign(this, { search: null, running: false, ended: null });
    ended?.(false);
  }

  #fail(why) {
    this.#end();
    this.task = null;
    this.failure = t`The search does not run here: ${why}.`;
    this.changed();
  }

  /** Looks for the next move. */
  ask() {
    this.#begin("hint", HINT_MS);
  }

  /** Looks for the rest of the game. */
  finish() {
    this.#begin("finish", FINISH_MS);
  }

  /** Ends looking; what was found stays on the board. */
  stop() {
    if (!this.running) return;
    this.#end();
    const { game, task, from } = this;
    if (task === "hint" && game) {
      this.hint = nextOf(game.variant, game.moves, from);
      const move = this.hint?.move;
      if (move) announce(t`Hint: column ${move.x}, row ${move.y}, ${DIRECTION_NAMES[move.d]}. The search reaches ${inMoves(game.moves.length)} with it.`);
    } else if (game) {
      announce(t`The search has found a game of ${inMoves(game.moves.length)}.`);
    }
    if (task === "hint" ? !this.hint : !game) this.task = null;
    this.changed();
  }

  /** Plays what was found: the hint, or the rest of the game. */
  take() {
    const { task, hint, game } = this;
    const rest = this.#rest(game);
    this.leave();
    if (task === "hint" && hint) this.played.play(hint.move);
    else if (task === "finish") this.played.playAll(rest);
  }

  /** What was found is no longer shown. */
  leave() {
    this.#end();
    [this.task, this.hint, this.failure] = [null, null, ""];
    this.changed();
  }

  /** The position may be another one: then nothing is proposed for it. */
  follow() {
    if (this.task && this.asked !== this.#position()) {
      this.#end();
      [this.task, this.hint] = [null, null];
    }
  }

  /** The moves of the game found that follow the position. */
  outlook() {
    return this.task === "finish" ? this.#rest(this.game) : [];
  }

  /**
   * How far the search comes from the first `from` moves of the game at hand: `better(moves)` is called with each longer game; says at the
   * end whether it had its whole time.
   */
  reach(from, better) {
    this.leave();
    return new Promise((done) => {
      this.ended = done;
      this.search = new Search({ variant: this.played.variant, moves: this.played.moves.slice(0, from), better,
        failed: (why) => this.#fail(why) });
      this.timer = this.search.limit(BACK_MS, () => {
        this.ended = null;
        this.#end();
        done(true);
      });
    });
  }

  /** Shows a game that was found from the position at hand. */
  show(moves) {
    this.#end();
    const { variant } = this.played;
    Object.assign(this, { task: "finish", hint: null, failure: "", asked: this.#position(), from: this.played.moves.length, game: { variant, moves } });
    this.changed();
  }

  destroy() {
    this.#end();
  }
}
