// The rules of the puzzle, for the board: so few lines that the page needs no answer from the daemon to show the legal moves
// at once. The daemon's referee has the last word on whatever is sent to it.
//
// A move is {x, y, d, i}: the new point, the direction of its line (0 to 3 as in DIRECTIONS), and which point of the line, from
// 0, the new one is. The area has 60 x 60 points; a point's key is 64 y + x.

export const VARIANTS = {
  "5T": { length: 5, disjoint: false, record: 178, bound: 485 },
  "5D": { length: 5, disjoint: true, record: 82, bound: 84 },
  "4T": { length: 4, disjoint: false, record: 62, bound: 62 },
  "4D": { length: 4, disjoint: true, record: 35, bound: 35 },
};
export const CODES = Object.keys(VARIANTS);
export const DIRECTIONS = ["-", "|", "\\", "/"];
export const DELTA = [[1, 0], [0, 1], [1, 1], [1, -1]];
export const SIDE = 60;
const CORNER = 28;

const inside = (x, y) => x >= 0 && y >= 0 && x < SIDE && y < SIDE;
const key = (x, y) => 64 * y + x;

/** Points of the starting cross, [x, y]; its inner north-west corner is (28,28). */
export function cross(variant) {
  const n = VARIANTS[variant].length;
  const arm = n - 1;
  const w = n % 2 === 1 ? 2 * n - 1 : 2 * n - 2;
  const a = (w - arm + 1) / 2;
  const b = a + arm - 1;
  const corner = CORNER - (n - 2);
  const points = [];
  for (let y = 0; y <= w; y++) {
    for (let x = 0; x <= w; x++) {
      const band = (v) => v >= a && v <= b;
      const onArm = (u, v) => (u === a || u === b) && (v <= a || v >= b);
      if (((y === 0 || y === w) && band(x)) || ((x === 0 || x === w) && band(y)) || onArm(x, y) || onArm(y, x)) {
        points.push([x + corner, y + corner]);
      }
    }
  }
  return points;
}

/** The points of a move's line, first to last. */
export function line(variant, move) {
  const [dx, dy] = DELTA[move.d];
  return Array.from({ length: VARIANTS[variant].length }, (_, n) =>
    [move.x + (n - move.i) * dx, move.y + (n - move.i) * dy]);
}

/** The ends of a move's line, [x1, y1, x2, y2]. */
export function ends(variant, move) {
  const [dx, dy] = DELTA[move.d];
  const far = VARIANTS[variant].length - 1 - move.i;
  return [move.x - move.i * dx, move.y - move.i * dy, move.x + far * dx, move.y + far * dy];
}

/** The cross carried to itself: a quarter turn to the right, and the exchange of left and right. */
const SYMMETRIES = { turn: ([x, y]) => [-y, x], flip: ([x, y]) => [-x, y] };

/** A move of the game that is turned (`turn`) or mirrored (`flip`) as a whole. */
export function turned(variant, move, how) {
  const [left, , right] = bounds(variant, []);
  const carry = SYMMETRIES[how];
  // About the middle of the cross, in halves of cells.
  const [x, y] = carry([2 * move.x - left - right, 2 * move.y - left - right]).map((v) => (v + left + right) / 2);
  const [dx, dy] = carry(DELTA[move.d]);
  const d = DELTA.findIndex(([u, v]) => (u === dx && v === dy) || (u === -dx && v === -dy));
  const isReversed = DELTA[d][0] !== dx || DELTA[d][1] !== dy;
  return { x, y, d, i: isReversed ? VARIANTS[variant].length - 1 - move.i : move.i };
}

export const same = (a, b) => a.x === b.x && a.y === b.y && a.d === b.d && a.i === b.i;

/** From and to the form that the API uses. */
export const fromView = (m) => ({ x: m.x, y: m.y, d: DIRECTIONS.indexOf(m.direction), i: 2 - m.shift });
export const toView = (m) => ({ x: m.x, y: m.y, direction: DIRECTIONS[m.d], shift: 2 - m.i });

/** A game in progress. */
export class Game {
  constructor(variant, moves = []) {
    this.variant = variant;
    this.rules = VARIANTS[variant];
    this.points = new Set(cross(variant).map(([x, y]) => key(x, y)));
    // Cells of lines that no other line of the direction may use: points, or where ends may touch the steps between them,
    // each named by its first point.
    this.blocked = [new Set(), new Set(), new Set(), new Set()];
    this.moves = [];
    for (const move of moves) {
      if (!this.play(move)) break;
    }
  }

  #cells(move) {
    const points = line(this.variant, move);
    return (this.rules.disjoint ? points : points.slice(0, -1)).map(([x, y]) => key(x, y));
  }

  /** Whether the move is legal now. */
  isLegal(move) {
    if (!(move.d in DELTA) || move.i < 0 || move.i >= this.rules.length || !inside(move.x, move.y)) return false;
    if (this.points.has(key(move.x, move.y))) return false;
    const points = line(this.variant, move);
    return points.every(([x, y], n) => inside(x, y) && (n === move.i || this.points.has(key(x, y)))) &&
      this.#cells(move).every((cell) => !this.blocked[move.d].has(cell));
  }

  /** Plays a move; says whether it was legal. */
  play(move) {
    if (!this.isLegal(move)) return false;
    this.points.add(key(move.x, move.y));
    for (const cell of this.#cells(move)) this.blocked[move.d].add(cell);
    this.moves.push(move);
    return true;
  }

  /** Takes the last move back and returns it. */
  undo() {
    const move = this.moves.pop();
    if (!move) return null;
    this.points.delete(key(move.x, move.y));
    for (const cell of this.#cells(move)) this.blocked[move.d].delete(cell);
    return move;
  }

  /** The legal moves, by rows. */
  legal() {
    const [left, top, right, bottom] = bounds(this.variant, this.moves);
    const found = [];
    for (let y = Math.max(0, top - 1); y <= Math.min(SIDE - 1, bottom + 1); y++) {
      for (let x = Math.max(0, left - 1); x <= Math.min(SIDE - 1, right + 1); x++) {
        if (this.points.has(key(x, y))) continue;
        for (let d = 0; d < 4; d++) {
          for (let i = 0; i < this.rules.length; i++) {
            const move = { x, y, d, i };
            if (this.isLegal(move)) found.push(move);
          }
        }
      }
    }
    return found;
  }
}

/** The smallest box around cross and moves, [left, top, right, bottom]. */
export function bounds(variant, moves) {
  const corner = CORNER - (VARIANTS[variant].length - 2);
  const far = corner + (VARIANTS[variant].length % 2 === 1 ? 2 * VARIANTS[variant].length - 1 : 2 * VARIANTS[variant].length - 2);
  let [left, top, right, bottom] = [corner, corner, far, far];
  for (const { x, y } of moves) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return [left, top, right, bottom];
}
