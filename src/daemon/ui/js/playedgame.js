// A game of Morpion Solitaire that a person plays: its moves and those taken back. Its position is kept in the address and in the
// browser's storage, so nothing is lost when the page is loaded again. Nothing here is drawn.

import { fromAddress, toAddress } from "./notation.js";
import { Game, same, turned } from "./rules.js";

const KEPT = "morpion.board";

export class PlayedGame {
  /** `changed()` is called when something is to be drawn anew. */
  constructor(changed) {
    this.changed = changed;
    this.game = new Game("5T");
    /** Moves taken back, the next one last. */
    this.undone = [];
  }

  get variant() {
    return this.game.variant;
  }

  get moves() {
    return this.game.moves;
  }

  play(move) {
    if (!this.game.play(move)) return;
    // The same move as the one taken back keeps those behind it.
    if (this.undone.length && same(this.undone.at(-1), move)) this.undone.pop();
    else this.undone = [];
    this.changed();
  }

  /** Plays several moves one after the other; what was taken back is forgotten. */
  playAll(moves) {
    this.undone = [];
    for (const move of moves) this.game.play(move);
    this.changed();
  }

  /** Turns (`turn`) or mirrors (`flip`) the whole game, the moves taken back included. */
  carry(how) {
    const carried = (moves) => moves.map((move) => turned(this.variant, move, how));
    const game = new Game(this.variant, carried(this.moves));
    if (game.moves.length < this.moves.length) return;
    [this.game, this.undone] = [game, carried(this.undone)];
    this.changed();
  }

  back() {
    const move = this.game.undo();
    if (move) this.undone.push(move);
    this.changed();
  }

  forth() {
    const move = this.undone.pop();
    if (move) this.game.play(move);
    this.changed();
  }

  /** Takes moves back or plays them again until there are `n`. */
  go(n) {
    while (this.moves.length > n) this.undone.push(this.game.undo());
    while (this.moves.length < n && this.undone.length) this.game.play(this.undone.pop());
    this.changed();
  }

  /** Another game; its moves after the first `at` are taken back. */
  set(variant, moves, at = moves.length) {
    this.game = new Game(variant, moves);
    this.undone = [];
    this.go(at);
  }

  /** An empty board of a variant; a game of the same variant that is under way stays. */
  begin(variant) {
    if (this.moves.length && variant === this.variant) return;
    this.set(variant, []);
  }

  /** The game as the address has it, the moves taken back included. */
  address() {
    return toAddress(this.variant, [...this.moves, ...this.undone.toReversed()]);
  }

  /** Writes the address and the browser's storage. The address of another view, which may be there before that is
   * drawn, is left alone. */
  keep() {
    if (/^#\/(?!board(\?|$))/.test(location.hash)) return;
    const text = `g=${this.address()}${this.undone.length ? `&at=${this.moves.length}` : ""}`;
    history.replaceState(null, "", `#/board?${text}`);
    try {
      localStorage.setItem(KEPT, text);
    } catch {
      // The address has it too.
    }
  }

  /** The game of an address, else the one in the browser's storage, else an empty board. */
  restore(query) {
    let kept = "";
    try {
      kept = localStorage.getItem(KEPT) || "";
    } catch {
      // Without storage a new game begins.
    }
    const from = query.get("g") ? query : new URLSearchParams(kept);
    const found = fromAddress(from.get("g"));
    this.set(found?.variant || "5T", found?.moves || [], from.has("at") ? Number(from.get("at")) : Infinity);
  }
}
