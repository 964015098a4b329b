// A two-player game that a person sets up or plays: the settings of its start, the moves from there, the machine's side, and the
// job that solves a position of it. The daemon knows the rules: after each change it is asked for the position. Nothing here is
// drawn.

import { get, post, query as asQuery } from "./api.js";
import { announce } from "./dom.js";
import { placeOf, sideName } from "./gameboard.js";
import { t } from "./language.js";
import { learn, state } from "./live.js";
import { OPENINGS, OTHER_SEATS, moveText } from "./opening.js";

/** The games: what they are called, the size to begin with, which sizes there are, whether the machine plays them, and as whom, their openings, and
 * whether several threads can search. */
export const GAMES = {
  reversi: { name: t`Reversi`, size: "8", sizes: t`4 to 8 each: 6, 4x6`, machine: true },
  go: { name: t`Go`, size: "9", sizes: t`1 to 7 each to be solved, up to 19 to play: 4, 3x4, 19`, machine: true },
  gomoku: { name: t`Gomoku`, size: "15", sizes: t`1 to 20 each: 15, 6x5`, machine: true,
    brains: [["", t`the strongest`], ["thesis", t`by patterns`]], openings: OPENINGS, threads: true },
};

/** What the address has beside the settings. */
const OWN = ["game", "moves", "opening", "job", "machine", "brain", "level", "think", "threads"];

/** A position that is being set up is sent this many milliseconds after the last change. */
const EDIT_MS = 200;

/** The highest level of the machine. */
const STRONGEST = 10;

/** How long the searches of an analysis take, in seconds, one after the other; of how many moves each tells. */
const ANALYSIS_SECONDS = [0.3, 1, 3, 9];
const ANALYSED_MOVES = 6;

const isGiven = ([, value]) => value !== undefined && value !== "";

export class GameSession {
  /** `changed()` is called when something is to be drawn anew. */
  constructor(query, changed) {
    this.changed = changed;
    this.game = GAMES[query.get("game")] ? query.get("game") : "reversi";
    this.settings = {};
    /** The opening that the game begins with, if it has one. */
    this.opening = (GAMES[this.game].openings && query.get("opening")) || "";
    /** The moves, choices of the opening among them; those taken back, the next one last, each with who made it. */
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
    /** The side that the machine plays: `black`, `white`, `both`, or nothing, with an opening `opener` or `answerer`; as which player if not the usual one; how strong, and how many seconds it may think. */
    this.machine = query.get("machine") || "";
    this.brain = query.get("brain") || "";
    this.level = Number(query.get("level")) || 5;
    this.think = Number(query.get("think")) || 1;
    /** With how many threads it searches, where it can use several. */
    this.threads = Number(query.get("threads")) || 1;
    /** Whether the position that is shown is analysed, what is known of its moves, and why nothing is; the number of the analysis. */
    [this.analysing, this.analysis, this.unanalysed, this.analysed] = [false, null, "", 0];
    /** Whether a search of the analysis runs, and whether somebody has stopped it. */
    [this.valuing, this.rests] = [false, false];
    /** The move that mouse or keyboard point at, and the one that was chosen from the analysis: its line is shown. */
    [this.pointed, this.chosen] = [null, null];
    /** Whether it is being asked for a move, the last move that it told, and whether that is a hint; why it did not tell one. */
    [this.thinking, this.thought, this.hinted, this.refusal] = [false, null, false, ""];
    /** What was ended with the search for a move that somebody has stopped, in words. */
    this.halted = "";
    [this.asked, this.consulted] = [0, 0];
    /** Give up the question for a move, and the analysis, that are under way. */
    [this.consultation, this.valuation] = [new AbortController(), new AbortController()];
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
    if (another) [this.job, this.machine, this.opening] = [null, "", ""];
    this.ask();
  }

  /** Begins the same game anew with an opening, or without one. */
  openWith(opening) {
    this.#useOpening(opening);
    this.change({ position: undefined });
  }

  /** With an opening the machine is one of two players; without one it has a colour. */
  #useOpening(opening) {
    if (opening === this.opening) return;
    const [{ machine }, black] = [this, this.view?.opening?.black];
    const colour = machine === black ? "black" : "white";
    this.machine = OTHER_SEATS[machine] ? (black ? colour : OTHER_SEATS[machine]) : machine;
    this.opening = opening;
  }

  /** Begins the same game with some settings changed. A position that is given is no opening. */
  change(settings) {
    if (settings.position) this.#useOpening("");
    this.begin(this.game, { ...this.settings, ...settings });
  }

  /** Shows the position of a file; one of another game begins that game. */
  open({ game, text, size, opening }) {
    const rules = game === null || game === this.game ? this.settings : {};
    if (game !== null && game !== this.game) [this.game, this.job, this.machine, this.opening] = [game, null, "", ""];
    this.#useOpening(opening);
    this.settings = { ...rules, start: undefined, size, position: text };
    this.#noMoves();
    this.ask();
  }

  /** Whether a new game would lose one: moves, or a position that was set up. */
  isInProgress() {
    return Boolean((this.played.length || this.settings.position) && !this.isOver());
  }

  /** Begins a new game with the same board, rules and opening. */
  anew() {
    const { view, settings, game } = this;
    const size = settings.size || (view?.game === game ? `${view.width}x${view.height}` : undefined);
    this.tool = null;
    this.change({ position: undefined, size });
    announce(t`New game`);
  }

  #noMoves() {
    [this.played, this.undone] = [[], []];
  }

  /** What a request says of the position at hand. */
  #moment() {
    return { settings: this.place(), moves: this.played, ...(this.opening ? { opening: this.opening } : {}) };
  }

  /** Who makes the next move: a side, or a player of the opening. */
  mover() {
    return this.#moverOf(this.view.moves.length);
  }

  /** Who makes the move of a number, from 0. */
  #moverOf(number) {
    const { opening, side, moves } = this.view;
    if (opening) return opening.players[number] ?? opening.players.at(-1);
    return (number - moves.length) % 2 === 0 ? side : side === "black" ? "white" : "black";
  }

  /** Asks the daemon for the position; the newest answer counts. */
  async ask() {
    if (this.stopped) return;
    const number = ++this.asked;
    this.#forgetAsked();
    this.#forgetAnalysis();
    try {
      const answer = await post("/position", this.#moment());
      if (number !== this.asked) return;
      [this.view, this.problem] = [answer, null];
    } catch (problem) {
      if (number !== this.asked) return;
      this.problem = problem;
    }
    this.changed();
    this.keepAddress();
    if (this.isMachinesTurn()) this.consult(true);
    this.#analyse();
  }

  /** Switches the analysis of the positions that are shown on and off. */
  analyse(on) {
    this.analysing = on;
    this.#forgetAnalysis();
    this.changed();
    this.#analyse();
  }

  #forgetAnalysis() {
    this.analysed += 1;
    this.valuation.abort();
    this.valuation = new AbortController();
    [this.analysis, this.unanalysed, this.valuing, this.rests] = [null, "", false, false];
    [this.pointed, this.chosen] = [null, null];
  }

  /** Ends the search of the analysis that runs; what it has found stays. The next position is analysed again. */
  rest() {
    this.analysed += 1;
    this.valuation.abort();
    this.valuation = new AbortController();
    [this.valuing, this.rests] = [false, true];
    this.changed();
  }

  /** The analysed move that is pointed at or chosen. */
  #looked() {
    const of = (name) => this.analysis?.moves.find(({ move }) => move === name) || null;
    return of(this.pointed) || of(this.chosen);
  }

  /** Mouse or keyboard point at a move, or at none. */
  point(name) {
    const before = this.#looked();
    this.pointed = name;
    if (this.#looked() !== before) this.changed();
  }

  /** Chooses the move of the analysis whose line is shown, or none any more. */
  choose(name) {
    this.chosen = this.chosen === name ? null : name;
    this.changed();
  }

  /** The line that the board shows: of a move that somebody looks at, a hint, the solution, or the best move. */
  shownLine() {
    if (this.tool) return {};
    const looked = this.#looked();
    if (looked) return { line: looked.line, preview: true };
    if (this.hinted) return { line: this.thought.own === 1 ? this.thought.line : [] };
    return { line: this.solution()?.line ?? this.analysis?.moves[0]?.line };
  }

  /** Whether the position that is shown can be analysed: the game goes on, and its opening is over. */
  canAnalyse() {
    const { view, problem } = this;
    return Boolean(view && !problem && !this.isOver() && (!view.opening || view.opening.turn === "play"));
  }

  /** Values the best moves of the position that is shown, each time in a longer search, until another one is shown. */
  async #analyse() {
    if (!this.analysing || this.stopped || !this.canAnalyse() || this.isMachinesTurn()) return;
    const number = this.analysed;
    this.valuing = true;
    this.changed();
    for (const seconds of ANALYSIS_SECONDS) {
      let [answer, problem] = [null, null];
      try {
        answer = await post("/position/analysis", { ...this.#moment(), ...this.#together(), seconds, best: ANALYSED_MOVES }, undefined, this.valuation.signal);
      } catch (refused) {
        problem = refused;
      }
      if (number !== this.analysed || this.stopped) return;
      if (answer) this.analysis = answer;
      else this.unanalysed = problem.message;
      this.valuing = Boolean(answer) && seconds !== ANALYSIS_SECONDS.at(-1);
      this.changed();
      if (problem) return;
    }
  }

  /** How many threads search together, if it is more than one. */
  #together() {
    return GAMES[this.game].threads && this.threads > 1 ? { threads: this.threads } : {};
  }

  /** The answer about another position no longer counts. */
  #forgetAsked() {
    this.consulted += 1;
    this.consultation.abort();
    this.consultation = new AbortController();
    [this.thinking, this.hinted, this.refusal, this.halted] = [false, false, "", ""];
  }

  /** Ends the search for a move that runs: there is no hint, or the machine plays no side any more. */
  halt() {
    const plays = this.isMachinesTurn();
    this.#forgetAsked();
    if (plays) this.machine = "";
    this.halted = plays ? t`The search was stopped; the machine plays no side now.` : t`The search was stopped.`;
    this.keepAddress();
    this.changed();
    if (plays) this.#analyse();
  }

  /** Whether the machine is to move on the board. */
  isMachinesTurn() {
    const { view, tool, problem, machine } = this;
    return Boolean(view && !tool && !problem && !this.isOver() && (machine === "both" || machine === this.mover()));
  }

  /** Asks the machine for its move: to make it, or as a hint at full strength. */
  async consult(play) {
    const number = ++this.consulted;
    [this.thinking, this.hinted, this.refusal, this.halted] = [true, false, "", ""];
    this.changed();
    try {
      const brain = play && GAMES[this.game].brains && this.brain ? { brain: this.brain } : {};
      const answer = await post("/position/move",
        { ...this.#moment(), ...this.#together(), level: play ? this.level : 10, seconds: this.think, ...brain }, undefined, this.consultation.signal);
      if (number !== this.consulted) return;
      [this.thinking, this.thought, this.hinted] = [false, answer, !play];
      const own = answer.line.slice(0, answer.own);
      if (play) this.playAll(own);
      else announce(t`Hint: ${own.map(moveText).join(", ")}`);
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
    return thought && (hinted || played.slice(-1 - thought.own).includes(thought.line[0])) ? thought : null;
  }

  /** The machine plays another side, or otherwise. */
  seat(changes) {
    // A player or a level is nothing to an analysis.
    const counts = "machine" in changes || "threads" in changes;
    Object.assign(this, changes);
    this.#forgetAsked();
    if (counts) this.#forgetAnalysis();
    this.keepAddress();
    this.changed();
    if (this.isMachinesTurn()) this.consult(true);
    if (counts) this.#analyse();
  }

  /** The machine plays at a higher or lower level. */
  shiftLevel(by) {
    const level = Math.min(STRONGEST, Math.max(1, this.level + by));
    if (level !== this.level) this.seat({ level });
    announce(t`Level ${level}`);
  }

  /** Puts what is shown into the address, so that nothing is lost when the page is loaded again. The address of another
   * view, which may be there before that is drawn, is left alone. */
  keepAddress() {
    if (!/^#\/games(\?|$)/.test(location.hash)) return;
    const { machine, brain, level, think, opening } = this;
    const seats = machine ? { machine, ...(brain ? { brain } : {}), level, think, ...this.#together() } : {};
    history.replaceState(null, "", `#/games${asQuery({ ...this.place(), opening, moves: this.played.join("."), job: this.job, ...seats })}`);
  }

  play(name) {
    if (this.view?.legal.includes(name)) this.playAll([name]);
  }

  /** Makes the moves of one player, which are legal. */
  playAll(names) {
    announce(this.view.opening ? names.map(moveText).join(", ") : `${sideName(this.view.side)} ${names[0]}`);
    this.played.push(...names);
    this.undone = [];
    this.ask();
  }

  /** Takes back the last move, with those of the machine the person's before them, so that the person is to move again. */
  undo() {
    if (this.machine === "both") this.machine = "";
    do {
      const by = this.#moverOf(this.played.length - 1);
      this.undone.push({ name: this.played.pop(), by });
    } while (this.played.length && this.undone.at(-1).by === this.machine);
    this.ask();
  }

  /** Makes a move again that was taken back, and the machine's answer. */
  redo() {
    do this.played.push(this.undone.pop().name);
    while (this.undone.length && this.undone.at(-1).by === this.machine);
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
    this.#useOpening("");
    this.#noMoves();
    this.view = { ...this.view, cells, side, legal: [], moves: [], opening: null };
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
    this.#forgetAnalysis();
    clearTimeout(this.timer);
  }
}
