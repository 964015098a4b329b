// A two-player game that a person sets up or plays: the settings of its start, the moves from there, the machine's side, and the
// job that solves a position of it. The daemon knows the rules: after each change it is asked for the position. Nothing here is
// drawn.

import { get, post, query as asQuery } from "./api.js";
import { announce } from "./dom.js";
import { placeOf, sideName } from "./gameboard.js";
import { t } from "./language.js";
import { learn, state } from "./live.js";

/** The games: what they are called, the size to begin with, which sizes there are, whether the machine plays them, and as whom. */
export const GAMES = {
  reversi: { name: t`Reversi`, size: "6", sizes: t`4 to 8 each: 6, 4x6`, machine: true },
  go: { name: t`Go`, size: "3x4", sizes: t`1 to 7 each to be solved, up to 19 to play: 4, 3x4, 19`, machine: true },
  gomoku: { name: t`Gomoku`, size: "15", sizes: t`1 to 20 each: 15, 6x5`, machine: true,
    brains: [["", t`the strongest`], ["thesis", t`by patterns`]] },
};

/** What the address has beside the settings. */
const OWN = ["game", "moves", "job", "machine", "brain", "level", "think"];

/** A position that is being set up is sent this many milliseconds after the last change. */
const EDIT_MS = 200;

const isGiven = ([, value]) => value !== undefined && value !== "";

export class GameSession {
  /** `changed()` is called when something is to be drawn anew. */
  constructor(query, changed) {
    this.changed = changed;
    this.game = GAMES[query.get("game")] ? query.get("game") : "reversi";
    this.settings = {};
    this.played = [];
    this.undone = [];
    /** The position as the daemon describes it. */
    this.view = null;
    /** Why the daemon did not answer with a position, and whether asking again may help. */
    this.problem = null;
    /** The number of the job that solves a position of this game, and the job as last seen. */
    this.job = Number(query.get("job")) || null;
    this.known = null;
    /** What a click puts on a cell while a position is set up: `X`, `O`, `.`; nothing while it is played. */
    this.tool = null;
    /** The side that the machine plays: `black`, `white`, `both`, or nothing; as which player if not the usual one; how strong, and how many seconds it may think. */
    this.machine = query.get("machine") || "";
    this.brain = query.get("brain") || "";
    this.level = Number(query.get("level")) || 5;
    this.think = Number(query.get("think")) || 1;
    /** Whether it is being asked for a move, the last move that it told, and whether that is a hint; why it did not tell one. */
    [this.thinking, this.thought, this.hinted, this.refusal] = [false, null, false, ""];
    [this.asked, this.consulted] = [0, 0];
    this.timer = 0;
    /** Whether the view was left. */
    this.stopped = false;
  }

  /** The settings that say which position this is. */
  place() {
    // A bare position counts its empty cells otherwise than a game that is played on to its end.
    const { game, settings } = this;
    const empties = game === "reversi" && settings.position ? settings.empties || "ignored" : settings.empties;
    return Object.fromEntries(Object.entries({ game, ...settings, empties }).filter(isGiven));
  }

  /** Begins a game with other settings; another game begins with its own. */
  begin(game, settings) {
    const another = game !== this.game;
    this.game = game;
    this.settings = another ? {} : settings;
    this.settings.size ||= this.settings.position && game !== "reversi" ? undefined : GAMES[game].size;
    this.#noMoves();
    if (another) [this.job, this.machine] = [null, ""];
    this.ask();
  }

  /** Begins the same game with some settings changed. */
  change(settings) {
    this.begin(this.game, { ...this.settings, ...settings });
  }

  /** Shows the position of a file; one of another game begins that game. */
  open({ game, text, size }) {
    const rules = game === null || game === this.game ? this.settings : {};
    if (game !== null && game !== this.game) [this.game, this.job, this.machine] = [game, null, ""];
    this.settings = { ...rules, start: undefined, size, position: text };
    this.#noMoves();
    this.ask();
  }

  #noMoves() {
    [this.played, this.undone] = [[], []];
  }

  /** Asks the daemon for the position; the newest answer counts. */
  async ask() {
    if (this.stopped) return;
    const number = ++this.asked;
    this.#forgetAsked();
    try {
      const answer = await post("/position", { settings: this.place(), moves: this.played });
      if (number !== this.asked) return;
      [this.view, this.problem] = [answer, null];
    } catch (problem) {
      if (number !== this.asked) return;
      this.problem = problem;
    }
    this.changed();
    this.keepAddress();
    if (this.isMachinesTurn()) this.consult(true);
  }

  /** The answer about another position no longer counts. */
  #forgetAsked() {
    this.consulted += 1;
    [this.thinking, this.hinted, this.refusal] = [false, false, ""];
  }

  /** Whether the machine is to move on the board. */
  isMachinesTurn() {
    const { view, tool, problem, machine } = this;
    return Boolean(view && !tool && !problem && !this.isOver() && (machine === "both" || machine === view.side));
  }

  /** Asks the machine for its move: to make it, or as a hint at full strength. */
  async consult(play) {
    const number = ++this.consulted;
    [this.thinking, this.hinted, this.refusal] = [true, false, ""];
    this.changed();
    try {
      const brain = play && GAMES[this.game].brains && this.brain ? { brain: this.brain } : {};
      const answer = await post("/position/move",
        { settings: this.place(), moves: this.played, level: play ? this.level : 10, seconds: this.think, ...brain });
      if (number !== this.consulted) return;
      [this.thinking, this.thought, this.hinted] = [false, answer, !play];
      if (play) this.play(answer.line[0]);
      else announce(t`Hint: ${answer.line[0]}`);
    } catch (problem) {
      if (number !== this.consulted) return;
      [this.thinking, this.refusal] = [false, problem.message];
      if (play) this.machine = "";
    }
    this.changed();
  }

  /** The last move that the machine told, if it is a hint or on the board. */
  opinion() {
    const { thought, hinted, played } = this;
    return thought && (hinted || played.slice(-2).includes(thought.line[0])) ? thought : null;
  }

  /** The machine plays another side, or otherwise. */
  seat(changes) {
    Object.assign(this, changes);
    this.#forgetAsked();
    this.keepAddress();
    this.changed();
    if (this.isMachinesTurn()) this.consult(true);
  }

  /** Puts what is shown into the address, so that nothing is lost when the page is loaded again. The address of another
   * view, which may be there before that is drawn, is left alone. */
  keepAddress() {
    if (!/^#\/games(\?|$)/.test(location.hash)) return;
    const { machine, brain, level, think } = this;
    const seats = machine ? { machine, ...(brain ? { brain } : {}), level, think } : {};
    history.replaceState(null, "", `#/games${asQuery({ ...this.place(), moves: this.played.join("."), job: this.job, ...seats })}`);
  }

  play(name) {
    if (!this.view?.legal.includes(name)) return;
    announce(`${sideName(this.view.side)} ${name}`);
    this.played.push(name);
    this.undone = [];
    this.ask();
  }

  /** Takes back the last move, and the machine's before it, so that the person is to move again. */
  undo() {
    if (this.machine === "both") this.machine = "";
    const both = this.machine && this.machine !== this.view.side;
    this.undone.push(this.played.pop());
    if (both && this.played.length) this.undone.push(this.played.pop());
    this.ask();
  }

  /** Makes a move again that was taken back, and the machine's answer. */
  redo() {
    const both = this.machine && this.machine !== this.view.side;
    this.played.push(this.undone.pop());
    if (both && this.undone.length) this.played.push(this.undone.pop());
    this.ask();
  }

  /** Chooses what a click on a cell does. */
  take(tool) {
    this.tool = tool || null;
    this.#forgetAsked();
    this.changed();
    if (this.isMachinesTurn()) this.consult(true);
  }

  /** A click on a cell: plays there, or sets it up. */
  pick(name) {
    if (!this.tool) {
      if (!this.isMachinesTurn()) this.play(name);
      return;
    }
    const at = placeOf(this.view, name);
    const { cells, side } = this.view;
    const mark = cells[at] === this.tool ? "." : this.tool;
    this.edit(cells.slice(0, at) + mark + cells.slice(at + 1), side);
  }

  /** Another position, set up by hand. */
  edit(cells, side) {
    const { width, height } = this.view;
    const rows = Array.from({ length: height }, (_, y) => cells.slice(y * width, (y + 1) * width));
    const position = this.game !== "reversi" ? `${rows.join("/")} ${side}` : `${rows.join(" ").replaceAll(".", "-")} ${side === "black" ? "X" : "O"}`;
    this.settings = { ...this.settings, size: `${width}x${height}`, start: undefined, position };
    this.#noMoves();
    this.view = { ...this.view, cells, side, legal: [], moves: [] };
    this.changed();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), EDIT_MS);
  }

  /** Whether the position at hand is over. */
  isOver() {
    const outcome = this.view?.outcome;
    return outcome !== null && outcome !== undefined;
  }

  /** The job that solves a position of this game, as it is now. */
  currentJob() {
    if (!this.job) return null;
    this.known = state.jobs.get(this.job) || this.known;
    return this.known;
  }

  /** What that job has found, if it is about the position at hand. */
  solution() {
    const found = this.currentJob()?.solution;
    return found && found.position === this.view?.position && found.game === this.view?.game ? found : null;
  }

  /** The settings of a job that solves the position at hand. */
  question() {
    const { game, settings, view } = this;
    const own = game === "reversi"
      ? { size: `${view.width}x${view.height}`, empties: settings.empties || "ignored", start: undefined } : { size: undefined };
    return Object.fromEntries(Object.entries({ ...this.place(), position: view.position, ...own }).filter(isGiven));
  }

  /** A job was submitted for the position at hand. */
  follow(job) {
    learn(job);
    [this.job, this.known] = [job.id, job];
    announce(t`Job ${job.id} was submitted`);
    this.keepAddress();
  }

  /** Reads the address: the settings, the moves, the job; the position of the job if nothing else is given. */
  async load(query) {
    for (const [name, given] of query) if (!OWN.includes(name)) this.settings[name] = given;
    this.played = (query.get("moves") || "").split(".").filter(Boolean);
    if (this.job) {
      try {
        this.known = await get(`/jobs/${this.job}`);
        learn(this.known);
        if (!query.get("game") && this.known.solution) this.#fromJob(this.known);
      } catch {
        this.job = null;
      }
    }
    this.settings.size ||= this.settings.position && this.game !== "reversi" ? undefined : GAMES[this.game].size;
    this.ask();
  }

  #fromJob({ solution, settings: { ko, cycle, suicide, empties, position, rule, win } }) {
    this.game = solution.game;
    const rules = this.game === "gomoku" ? { rule, win } : this.game === "go" ? { ko, cycle, suicide } : { empties: empties || (position ? "winner" : "ignored") };
    this.settings = { position: solution.position, size: `${solution.width}x${solution.height}`, ...rules };
  }

  /** The view was left: answers that are still awaited no longer count. */
  stop() {
    this.stopped = true;
    this.asked += 1;
    this.#forgetAsked();
    clearTimeout(this.timer);
  }
}
