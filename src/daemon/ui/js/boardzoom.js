// Which part of a board is seen: all of it, or what somebody zoomed to with the wheel, two fingers or keys, and dragged where they want.

/** Largest magnification. */
const MOST = 6;
/** A pointer that goes fewer pixels than this from where it was pressed is a click. */
const CLICK = 6;

export class BoardZoom {
  /** `changed()` is called when another part is to be seen. */
  constructor(frame, svg, changed) {
    this.frame = frame;
    this.svg = svg;
    this.changed = changed;
    this.whole = [0, 0, 1, 1];
    this.scale = 1;
    /** The middle of what is seen, in cells. */
    this.centre = [0, 0];
    /** The pointers that are down, by their ids: where they are, in pixels. */
    this.down = new Map();
    this.dragged = false;
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#press(event));
    svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const kind of ["pointerup", "pointercancel"]) svg.addEventListener(kind, (event) => this.down.delete(event.pointerId));
    // Two fingers are for the board, one scrolls the page unless the board is magnified.
    svg.addEventListener("touchmove", (event) => (event.touches.length > 1 || this.isZoomed) && event.preventDefault(), { passive: false });
  }

  get isZoomed() {
    return this.scale > 1;
  }

  /** The whole board, [left, top, width, height] in cells. */
  cover(whole) {
    this.whole = whole;
    this.#bound();
  }

  /** The part that is seen. */
  box() {
    const [left, top, width, height] = this.whole;
    if (!this.isZoomed) return this.whole;
    const [w, h] = [width / this.scale, height / this.scale];
    return [Math.max(left, Math.min(left + width - w, this.centre[0] - w / 2)), Math.max(top, Math.min(top + height - h, this.centre[1] - h / 2)), w, h];
  }

  /** The centre is where the part that is seen has it. */
  #bound() {
    const [left, top, width, height] = this.box();
    this.centre = [left + width / 2, top + height / 2];
    this.frame.classList.toggle("zoomed", this.isZoomed);
  }

  /** Magnifies by a factor; the point (x, y), in cells, stays where it is. */
  by(factor, [x, y] = this.centre) {
    const before = this.scale;
    this.scale = Math.max(1, Math.min(MOST, this.scale * factor));
    if (this.scale < 1.02) this.scale = 1;
    const rest = before / this.scale;
    this.centre = [x + (this.centre[0] - x) * rest, y + (this.centre[1] - y) * rest];
    this.#bound();
    this.changed();
  }

  /** Moves what is seen by so many cells. */
  pan(dx, dy) {
    this.centre = [this.centre[0] + dx, this.centre[1] + dy];
    this.#bound();
    this.changed();
  }

  /** All of the board. */
  fit() {
    this.scale = 1;
    this.#bound();
    this.changed();
  }

  /** Sees to it that a point is in sight. */
  reveal({ x, y }) {
    const [left, top, width, height] = this.box();
    if (x >= left + 0.5 && x <= left + width - 0.5 && y >= top + 0.5 && y <= top + height - 0.5) return;
    this.centre = [x, y];
    this.#bound();
    this.changed();
  }

  /** Where a pixel of the window is on the board, in cells. */
  #at(px, py) {
    const seen = this.svg.getBoundingClientRect();
    const [left, top, width, height] = this.box();
    return [left + ((px - seen.left) / seen.width) * width, top + ((py - seen.top) / seen.height) * height];
  }

  #wheel(event) {
    // What is seen whole cannot become smaller: then the wheel scrolls the page.
    if (event.deltaY === 0 || (event.deltaY > 0 && !this.isZoomed)) return;
    event.preventDefault();
    this.by(Math.exp(-Math.max(-80, Math.min(80, event.deltaY)) / 400), this.#at(event.clientX, event.clientY));
  }

  #press(event) {
    if (this.down.size === 0) {
      this.dragged = false;
      this.travelled = 0;
    }
    this.down.set(event.pointerId, [event.clientX, event.clientY]);
    if (this.down.size > 1) this.dragged = true;
  }

  #move(event) {
    const before = this.down.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    if (event.buttons === 0) {
      this.down.delete(event.pointerId);
      return;
    }
    if (this.down.size === 1) {
      this.travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (this.isZoomed && this.travelled > CLICK) {
        if (!this.dragged) this.svg.setPointerCapture(event.pointerId);
        this.dragged = true;
      }
      if (this.dragged && this.isZoomed) {
        const [from, to] = [this.#at(...before), this.#at(...now)];
        this.pan(from[0] - to[0], from[1] - to[1]);
      }
    } else if (this.down.size === 2) {
      const [other] = [...this.down].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const apart = ([x, y]) => Math.max(1, Math.hypot(x - other[0], y - other[1]));
      const middle = ([x, y]) => [(x + other[0]) / 2, (y + other[1]) / 2];
      const [from, to] = [this.#at(...middle(before)), this.#at(...middle(now))];
      this.centre = [this.centre[0] + from[0] - to[0], this.centre[1] + from[1] - to[1]];
      this.by(apart(now) / apart(before), this.#at(...middle(now)));
    }
    this.down.set(event.pointerId, now);
  }

  /** Whether the press that has just ended was no click; asked once. */
  tookClick() {
    const was = this.dragged;
    this.dragged = false;
    return was;
  }
}
