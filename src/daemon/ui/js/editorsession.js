// What the editor of Go works on: the game trees with the node at hand, the position there as the daemon has played to it, what a click
// does, marked chains and the part of the board, the answer to a question with its proof, and the file of patterns. Nothing here is drawn.

import { json, post } from "./api.js";
import { EditorRegion } from "./editorregion.js";
import { EditorScore, SCORE_TOOLS } from "./editorscore.js";
import { nameOf, placeOf } from "./gameboard.js";
import { allNodes, copyOf, cut, fromList, inherited, makeNode, merge, moveOf, placeOfNode, play, pointAt, setUp, toList, wayTo } from "./gametree.js";
import { t } from "./language.js";
import { namesOfSgf, sgfOf, zonesOf } from "./points.js";

/** Largest file that the daemon takes, in bytes. */
export const LARGEST = 512 * 1024;
/** Largest dictionary of joseki that the daemon takes, in bytes. */
export const LARGEST_DICTIONARY = 3 * 1024 * 1024;
/** Most nodes of the trees. */
const MOST_NODES = 10_000;
/** Most nodes of a proof that are put into the tree. */
const MOST_OF_PROOF = 400;

/** The other side. */
const OTHER = { black: "white", white: "black" };

export class EditorSession {
  constructor() {
    /** Called when something is to be drawn anew. */
    this.changed = () => {};
    this.name = "";
    /** The count of a finished game. */
    this.score = new EditorScore(this);
    /** The region of questions about life. */
    this.region = new EditorRegion(this);
    this.#take([makeNode(null, { FF: ["4"], GM: ["1"], SZ: ["9"] })]);
    /** What a click does: nothing for a move, `X`, `O`, `.`, `mark`, `part`, `region`, `dead`, `seki`. */
    this.tool = "";
    /** The file of patterns: nothing for those that come with the program. */
    [this.patterns, this.patternsName, this.patternsUnsaved, this.database] = [null, "", false, null];
    /** A dictionary of joseki, what it has for the corners, and of which node that is told. */
    [this.dictionary, this.joseki, this.josekiAt] = [null, null, null];
    /** Edits follow each other. */
    this.edits = Promise.resolve();
  }

  #take(games) {
    this.games = games;
    [this.at, this.unsaved, this.stamp] = [games[0], false, 0];
    this.views = new WeakMap();
    [this.view, this.viewed, this.problem, this.asked] = [null, null, null, (this.asked ?? 0) + 1];
    [this.marked, this.part, this.corner] = [[], null, null];
    this.score.reset();
    this.region.reset();
    this.#forgetAnswer();
    this.joseki = null;
  }

  /** The first node of the game at hand. */
  get first() {
    return wayTo(this.at)[0];
  }

  /** The node that is to be shown: the one at hand, or the last one of the walk through the proof. */
  get shown() {
    return this.walk.at(-1)?.node ?? this.at;
  }

  /** Whether the position is that of the node: the daemon may not have answered yet. */
  get isReady() {
    return this.view !== null && this.viewed === this.shown;
  }

  /** The tree is another one now. */
  #edited() {
    this.unsaved = true;
    this.stamp += 1;
  }

  /** Opens a file's bytes or text; what was open stays if it cannot be read. What was mended is returned. */
  async open(content, name) {
    if ((content.length ?? content.byteLength) > LARGEST) throw new Error(t`The file is larger than 512 KiB, which is more than the editor takes.`);
    const { nodes, notices } = await json("POST", "/editor/read", { body: content, text: "application/x-go-sgf" });
    this.name = name;
    this.#take(fromList(nodes));
    this.show();
    return notices;
  }

  /** Opens an example problem, with its chains marked. */
  async openExample({ name, text, targets }) {
    await this.open(text, `${name}.sgf`);
    this.marked = [...targets];
    this.changed();
  }

  /** An empty board. */
  begin(size) {
    this.name = "";
    this.#take([makeNode(null, { FF: ["4"], GM: ["1"], SZ: [String(size)] })]);
    this.show();
  }

  /** The text of the file. */
  async text() {
    return (await post("/editor/write", { nodes: toList(this.games) })).text;
  }

  saved() {
    this.unsaved = false;
    this.changed();
  }

  /** Asks the daemon for the position at a node; positions that it has told are kept. */
  async position(node) {
    const known = this.views.get(node);
    if (known) return known;
    const views = this.views;
    const view = { game: "go", ...await post("/editor/position", placeOfNode(node)) };
    views.set(node, view);
    return view;
  }

  /** Shows the position at the node at hand, or after the moves of the proof; the newest counts. */
  async show() {
    const number = ++this.asked;
    this.changed();
    try {
      const node = this.shown;
      const view = await this.position(node);
      if (number !== this.asked) return;
      [this.view, this.viewed, this.problem] = [view, node, null];
    } catch (problem) {
      if (number !== this.asked) return;
      this.problem = problem;
    }
    const isStone = (name) => ["X", "O"].includes(this.view?.cells[placeOf(this.view, name)]);
    if (!this.walk.length) this.marked = this.marked.filter(isStone);
    this.changed();
    this.score.count();
  }

  go(node) {
    if (!node || (node === this.at && !this.walk.length)) return;
    if (node !== this.at) this.stop();
    [this.at, this.walk, this.isWalking] = [node, [], false];
    this.show();
  }

  back() {
    if (this.walk.length) this.walkBack();
    else this.go(this.at.parent);
  }

  forward() {
    this.go(this.at.children[0]);
  }

  toStart() {
    this.go(this.first);
  }

  toEnd() {
    let node = this.at;
    while (node.children.length) [node] = node.children;
    this.go(node);
  }

  /** Goes to the next or the last variation beside this node, or beside the nearest one above that has one. */
  beside(step) {
    for (let node = this.at; node.parent; node = node.parent) {
      const other = node.parent.children[node.parent.children.indexOf(node) + step];
      if (other) return this.go(other);
    }
    return undefined;
  }

  take(tool) {
    [this.tool, this.corner] = [tool, null];
    this.changed();
    this.score.count();
  }

  /** A click on a point. */
  pick(name) {
    if (!this.isReady) return;
    if (this.isWalking) {
      const step = this.proofMoves().find((one) => one.move === name);
      if (step) this.walkOn(step);
    } else if (this.tool === "mark") this.#mark(name);
    else if (this.tool === "part") this.#corner(name);
    else if (this.tool === "region") this.region.pick(name);
    else if (SCORE_TOOLS.includes(this.tool)) this.score.mark(name, this.tool);
    else if (this.tool) this.edits = this.edits.then(() => this.#put(name, this.tool));
    else this.play(name);
  }

  /** The point of a name as SGF has it; empty for a pass. */
  #sgf(name) {
    if (name === "pass") return "";
    const place = placeOf(this.view, name);
    return pointAt(place % this.view.width, Math.floor(place / this.view.width));
  }

  /** The name of a point of SGF. */
  nameOf(point) {
    return point ? nameAt(this.view, point) : "pass";
  }

  play(name) {
    if (!this.isReady || !this.view.legal.includes(name) || this.isFull(1)) return;
    const [node, made] = play(this.at, { side: this.view.side, point: this.#sgf(name) });
    if (made) this.#edited();
    this.go(node);
  }

  isFull(more) {
    if (allNodes(this.games).length + more <= MOST_NODES) return false;
    this.warn(t`The editor takes ${MOST_NODES} nodes at most.`);
    return true;
  }

  /** Says what went wrong. */
  warn(text) {
    this.warned?.(text);
  }

  /** Sets a point up: in this node, or below it if it has a move. A position that cannot be stays out of the tree. */
  async #put(name, tool) {
    const { at, view } = this;
    if (!this.isReady || view.fault || this.isFull(1)) return;
    const place = placeOf(view, name);
    const mark = view.cells[place] === tool ? "." : tool;
    const wanted = view.cells.slice(0, place) + mark + view.cells.slice(place + 1);
    if (wanted === view.cells) return;
    await this.#change((node, before) => setUp(node, view.width, before, wanted), at);
  }

  /** Makes the other side move next. */
  swapSides() {
    this.edits = this.edits.then(async () => {
      if (!this.isReady || this.isFull(1)) return;
      const side = OTHER[this.view.side] === "black" ? "B" : "W";
      await this.#change((node) => node.properties.set("PL", [side]), this.at);
    });
  }

  async #change(act, at) {
    try {
      const isMove = Boolean(moveOf(at));
      const node = isMove ? makeNode(at) : copyOf(at);
      const above = isMove ? at : at.parent;
      const { width, height } = this.view;
      act(node, above ? (await this.position(above)).cells : ".".repeat(width * height));
      const view = { game: "go", ...await post("/editor/position", placeOfNode(node)) };
      if (view.fault) {
        this.warn(view.fault);
        return;
      }
      if (this.at !== at) return;
      if (isMove) at.children.push(node);
      else at.properties = node.properties;
      // What is below has other positions now.
      this.views = new WeakMap();
      this.#edited();
      this.#forgetAnswer();
      this.joseki = null;
      this.at = isMove ? node : at;
      this.views.set(this.at, view);
      await this.show();
    } catch (problem) {
      this.warn(problem.message);
    }
  }

  /** How many nodes are below the one at hand. */
  below() {
    return allNodes(this.at.children).length;
  }

  /** Takes the node at hand out, with all that is below it. */
  cut() {
    if (!this.at.parent) return;
    const node = this.at;
    cut(node);
    this.#edited();
    this.go(node.parent);
  }

  /** Gives the first node of the game at hand these properties. */
  note(properties) {
    for (const [name, values] of Object.entries(properties)) this.first.properties.set(name, values);
    this.#edited();
    this.changed();
  }

  comment(text) {
    this.at.comment = text;
    this.#edited();
    this.changed();
  }

  /** The stones of the chain on a point, by name. */
  chain(name) {
    const { view } = this;
    const { width, height, cells } = view;
    const first = placeOf(view, name);
    const found = new Set([first]);
    for (const place of found) {
      const [x, y] = [place % width, Math.floor(place / width)];
      for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
        const next = (y + dy) * width + x + dx;
        if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height && cells[next] === cells[first]) found.add(next);
      }
    }
    return [...found].map((place) => nameAt(view, pointAt(place % width, Math.floor(place / width))));
  }

  /** Marks a chain, or takes its mark away; of three the oldest loses its mark. */
  #mark(name) {
    if (this.view.cells[placeOf(this.view, name)] === ".") return;
    const stones = this.chain(name);
    const others = this.marked.filter((one) => !stones.includes(one));
    this.marked = others.length < this.marked.length ? others : [...others, name].slice(-2);
    this.changed();
  }

  /** The stones of all marked chains. */
  markedStones() {
    return this.view && !this.walk.length ? this.marked.flatMap((name) => this.chain(name)) : [];
  }

  /** A corner of the part of the board that a pattern is made of; the second one completes it. */
  #corner(name) {
    const place = placeOf(this.view, name);
    const corner = [place % this.view.width, Math.floor(place / this.view.width)];
    if (!this.corner) {
      [this.corner, this.part] = [corner, { x: corner[0], y: corner[1], width: 1, height: 1 }];
    } else {
      const [x, y] = corner.map((n, axis) => Math.min(n, this.corner[axis]));
      const [width, height] = corner.map((n, axis) => Math.abs(n - this.corner[axis]) + 1);
      [this.corner, this.part] = [null, { x, y, width, height }];
    }
    this.changed();
  }

  wholeBoard() {
    [this.part, this.corner] = [null, null];
    this.changed();
  }

  #forgetAnswer() {
    this.stop();
    [this.answer, this.answered, this.zones, this.refusal, this.walk, this.isWalking] = [null, null, null, "", [], false];
  }

  /** Ends the question that is being read. */
  stop() {
    this.asking?.abort();
    this.asking = null;
  }

  /** Has a question about the marked chains answered. */
  async solve(goal, { budget, moves }) {
    this.#forgetAnswer();
    const asking = new AbortController();
    const node = this.at;
    const [target, other] = this.marked;
    const two = ["connect", "cut"].includes(goal);
    const region = ["kill", "live"].includes(goal) && this.region.text;
    this.asking = asking;
    this.changed();
    try {
      const body = { ...placeOfNode(node), goal, target, ...(two ? { with: other } : {}), ...(region ? { region } : {}), budget, moves,
        ...(this.patterns && moves !== "generators" ? { patterns: this.patterns } : {}) };
      const answer = await json("POST", "/editor/solve", { body, signal: asking.signal });
      if (this.asking === asking) [this.answer, this.answered] = [answer, node];
    } catch (problem) {
      if (this.asking === asking) this.refusal = problem.message;
    }
    if (this.asking !== asking) return;
    this.asking = null;
    this.changed();
  }

  /** The answer, if it is about the position at hand. */
  answerHere() {
    return this.answered === this.at ? this.answer : null;
  }

  /** The zones of the positions of the proof. */
  #zones() {
    this.zones ||= zonesOf(this.view, this.answer);
    return this.zones;
  }

  /** The zone of the position at hand: what its proof rests on. After the last move that is told, that before it: it contains it. */
  zoneHere() {
    const answer = this.answerHere();
    if (!this.isWalking) return answer?.zone ?? [];
    return answer?.proof.length ? this.#zones()[this.walk.findLast(({ next }) => next !== null)?.next ?? 0] : [];
  }

  /** The points that the file dims at the node at hand (`DD`), or does not show (`VW`). */
  shadedHere() {
    const { at, view } = this;
    const [dim, seen] = ["DD", "VW"].map((name) => namesOfSgf(view, inherited(at, name)));
    if (!seen.length) return dim;
    const all = [...view.cells].map((_, n) => nameOf(view.game, view.height, n % view.width, Math.floor(n / view.width)));
    return all.filter((name) => dim.includes(name) || !seen.includes(name));
  }

  /** The position of the proof at hand. */
  #proofPosition() {
    const place = this.walk.length ? this.walk.at(-1).next : 0;
    return place === null ? null : this.answerHere()?.proof[place] ?? null;
  }

  /** The side to move in the proof; nothing at its end. */
  proofSide() {
    return this.#proofPosition();
  }

  /** The moves from the position of the proof at hand. */
  proofMoves() {
    return this.#proofPosition()?.moves ?? [];
  }

  /** Begins or ends the walk through the proof. */
  walkProof(on) {
    [this.isWalking, this.walk] = [on, []];
    this.show();
  }

  walkOn({ move, next }) {
    const above = this.walk.at(-1)?.node ?? this.at;
    const { side } = this.#proofPosition();
    const node = makeNode(above, { [side === "black" ? "B" : "W"]: [this.#sgf(move)] });
    this.walk = [...this.walk, { node, move, next, side }];
    this.show();
  }

  walkBack() {
    this.walk = this.walk.slice(0, -1);
    this.show();
  }

  /**
   * Puts the proof into the tree as variations, each position with its zone as the part of the board that is to be seen: the number of new
   * nodes, and whether all of it was put in.
   */
  insertProof() {
    const { proof } = this.answerHere();
    const list = [];
    const open = [[0, null]];
    let all = true;
    for (let [place, parent] of open) {
      const { side, attacker, moves } = proof[place];
      // Where the defender has an answer, passing is none.
      const told = !attacker && moves.length > 1 ? moves.filter(({ move }) => move !== "pass") : moves;
      for (const { move, next } of told) {
        if (list.length >= MOST_OF_PROOF) {
          all = false;
          break;
        }
        const zone = next === null ? [] : sgfOf(this.view, this.#zones()[next]);
        const played = { name: side === "black" ? "B" : "W", values: [this.#sgf(move)] };
        list.push({ parent, properties: zone.length ? [played, { name: "VW", values: zone }] : [played] });
        if (next !== null) open.push([next, list.length - 1]);
      }
    }
    if (this.isFull(list.length)) return null;
    const made = merge(this.at, list);
    if (made) this.#edited();
    [this.walk, this.isWalking] = [[], false];
    this.show();
    return { made, all };
  }

  /** Takes a dictionary of joseki: its name and its text. */
  takeDictionary(dictionary) {
    [this.dictionary, this.joseki, this.josekiAt] = [dictionary, null, null];
    this.changed();
  }

  /** Looks the corners of the position at hand up in the dictionary. */
  async lookUp() {
    const { at, dictionary } = this;
    const found = await post("/editor/joseki", { ...placeOfNode(at), dictionary: dictionary.text });
    if (this.dictionary !== dictionary) return;
    [this.joseki, this.josekiAt] = [found, at];
    this.changed();
  }

  /** What the dictionary has, if it was asked about the position at hand. */
  josekiHere() {
    return this.josekiAt === this.at && !this.walk.length ? this.joseki : null;
  }

  /** The patterns of a file's text; those of the program without one. What was open stays if it cannot be read. */
  async openPatterns(text, name) {
    if (text && text.length > LARGEST) throw new Error(t`The file is larger than 512 KiB, which is more than the editor takes.`);
    const found = await post("/editor/patterns", text ? { patterns: text } : {});
    [this.database, this.patterns, this.patternsName, this.patternsUnsaved] = [found, text ? found.text : null, name, false];
    this.changed();
    return found.notices;
  }

  /** What a pattern of the position at hand would be: the answer of the daemon. */
  tryPattern(settings) {
    const body = { ...placeOfNode(this.at, { below: settings.tesuji }), ...settings, targets: this.marked,
      ...(this.part ? { rectangle: this.part } : {}), ...(this.patterns ? { patterns: this.patterns } : {}) };
    return post("/editor/patterns/add", body);
  }

  /** Takes a file of patterns with one more. */
  takePatterns(found) {
    [this.database, this.patterns, this.patternsUnsaved] = [found, found.text, true];
    this.changed();
  }

  patternsSaved() {
    this.patternsUnsaved = false;
    this.changed();
  }

  /** Adds the moves of all patterns that fit as variations: what the daemon found, and the number of new nodes. */
  async match() {
    const node = this.at;
    const found = await post("/editor/match", { ...placeOfNode(node), ...(this.patterns ? { patterns: this.patterns } : {}) });
    if (this.isFull(found.nodes.length)) return null;
    const made = merge(node, found.nodes);
    if (made) this.#edited();
    this.changed();
    return { found, made };
  }
}

/** The name of a point of SGF on the board of a view. */
function nameAt({ height }, point) {
  const [x, y] = [...point].map((letter) => letter.charCodeAt(0) - 97);
  return `${"abcdefghjklmnopqrst"[x]}${height - y}`;
}

/** The session lives as long as the page, so that nothing is lost by looking at another view. */
let kept = null;
export const editorSession = () => {
  kept ||= new EditorSession();
  return kept;
};
