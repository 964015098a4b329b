// Numbers, times and names as people read them.

import { known, language, t, tc, tn } from "./language.js";

const THIN = "\u202f";
const DAY = tc("unit of time", "d");

/** The text with a capital at its beginning. */
export const sentence = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

/** A number with decimals as the language writes it. */
export const decimal = (number) => (language === "en" ? String(number) : String(number).replace(".", ","));

/** 12 345 with narrow spaces. */
export function count(n) {
  if (n === null || n === undefined || !Number.isFinite(n)) return "\u2013";
  return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
}

/** Three digits and a unit: 12.3 M. */
export function short(n) {
  if (n === null || n === undefined || !Number.isFinite(n)) return "\u2013";
  if (Math.abs(n) < 10000) return count(n);
  for (const [size, unit] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(n) >= size * 0.9995) {
      const value = n / size;
      return `${decimal(value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0))}${THIN}${unit}`;
    }
  }
  return count(n);
}

/** A duration of two units: 3 d 04 h, 12 min 05 s. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "\u2013";
  const total = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, "0");
  const [days, hours, minutes] = [Math.floor(total / 86400), Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60];
  if (days > 0) return `${days}${THIN}${DAY} ${two(hours)}${THIN}h`;
  if (hours > 0) return `${hours}${THIN}h ${two(minutes)}${THIN}min`;
  if (minutes > 0) return `${minutes}${THIN}min ${two(total % 60)}${THIN}s`;
  return `${total}${THIN}s`;
}

/** A duration as short as an axis wants it. */
export function tick(seconds) {
  if (seconds < 1) return `${decimal(+(seconds * 1000).toPrecision(2))}${THIN}ms`;
  if (seconds < 60) return `${decimal(+seconds.toPrecision(3))}${THIN}s`;
  if (seconds < 3600) return `${decimal(+(seconds / 60).toPrecision(3))}${THIN}min`;
  if (seconds < 86400) return `${decimal(+(seconds / 3600).toPrecision(3))}${THIN}h`;
  return `${decimal(+(seconds / 86400).toPrecision(3))}${THIN}${DAY}`;
}

/** Bytes: 1.5 GiB. */
export function bytes(n) {
  if (!Number.isFinite(n)) return "\u2013";
  for (const [size, unit] of [[2 ** 40, t`TiB`], [2 ** 30, t`GiB`], [2 ** 20, t`MiB`], [2 ** 10, t`KiB`]]) {
    if (n >= size) return `${decimal(+(n / size).toPrecision(3))}${THIN}${unit}`;
  }
  return `${n}${THIN}${t`B`}`;
}

/** Date and time of a moment, in the reader's zone: 2026-11-20 14:03. */
export function moment(unix) {
  if (!unix) return "\u2013";
  const d = new Date(unix * 1000);
  const two = (n) => String(n).padStart(2, "0");
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`;
}

/** Time of a moment today, its day else. */
export function clock(unix) {
  const full = moment(unix);
  return full.slice(0, 10) === moment(Date.now() / 1000).slice(0, 10) ? full.slice(11) : full.slice(5, 10);
}

/** How long ago, in one unit. */
export function ago(unix) {
  if (!unix) return "\u2013";
  const seconds = Math.max(0, Date.now() / 1000 - unix);
  if (seconds < 60) return t`just now`;
  if (seconds < 3600) return t`${`${Math.floor(seconds / 60)}${THIN}min`} ago`;
  if (seconds < 86400) return t`${`${Math.floor(seconds / 3600)}${THIN}h`} ago`;
  return t`${`${Math.floor(seconds / 86400)}${THIN}${DAY}`} ago`;
}

/** A number of things, and of how many at most if there is a limit. */
export const ofLimit = (now, limit) => (limit ? t`${now} of ${limit}` : String(now));

/** One move, two moves. */
export const moves = (n) => tn(n, "{0} move", "{0} moves");

/** The directions of lines, as `DIRECTIONS` in `rules.js` has them, and the variants, in words. */
export const DIRECTION_NAMES = [t`horizontal`, t`vertical`, t`falling`, t`rising`];
export const VARIANT_TEXTS = {
  "5T": t`lines of 5, ends may touch`, "5D": t`lines of 5, disjoint`, "4T": t`lines of 4, ends may touch`, "4D": t`lines of 4, disjoint`,
};

export const STATES = {
  queued: t`queued`, running: t`running`, paused: t`paused`, draining: t`draining`,
  finished: t`finished`, cancelled: t`cancelled`, failed: t`failed`,
};

const REASONS = {
  target: t`reached its target`, exhausted: t`searched everything: proven`, finished: t`did all its runs`,
  time: t`time is up`, iterations: t`iterations used up`, drained: t`drained`, solved: t`solved`, proved: t`proved`,
  played: t`all games are played`, decided: t`the test has decided`, analysed: t`all positions are analysed`, learned: t`the weights are learned`,
  answered: t`all questions are answered`, mined: t`the patterns are mined`, refuted: t`a move does not hold`,
};

/** Why a job ended. */
export function reason(text) {
  const [, job] = /^waits until job (\d+) has finished$/.exec(text || "") || [];
  const [, time] = /^waits until (\S+ \S+.*)$/.exec(text || "") || [];
  if (job) return t`waits until job ${job} has finished`;
  return time ? t`waits until ${time}` : REASONS[text] || known(text || "");
}

const ORDERS = { pausing: t`pausing`, cancelling: t`cancelling` };

/** The state of a job in words: what is being done to it, or how it stands. */
export const stateOf = (job) => ORDERS[job.pending] || STATES[job.state] || job.state;

/** Whether nothing will change the job any more. */
export const isOver = (job) => job.state === "finished" || job.state === "cancelled" || job.state === "failed";

const PHASES = {
  round: t`round`, call: t`call`, "call of the start": t`call of the start`, tempering: t`tempering`, cooling: t`cooling`, walk: t`walk`, move: t`move`,
  "regrowing step": t`regrowing step`, "refining step": t`refining step`, "reshaping step": t`reshaping step`,
};

/** Where a search stands, `call 3 of 10`, as the daemon tells it. */
export function phaseOf(text) {
  const [, name, number, of] = /^(.+?) (\d+)(?: of (\d+))?$/.exec(text || "") || [];
  if (!name) return text || "\u2013";
  return of ? t`${PHASES[name] || name} ${number} of ${of}` : `${PHASES[name] || name} ${number}`;
}

const TITLE_WORDS = {
  "standard start": t`standard start`, "alternative start": t`alternative start`, "given position": t`given position`,
  "empty board": t`empty board`, "basic ko": t`basic ko`, "positional superko": t`positional superko`, "no ko rule": t`no ko rule`,
  "cycles tie": t`cycles tie`, "cycles lost for black": t`cycles lost for black`, "cycles lost for white": t`cycles lost for white`,
  suicide: t`suicide`,
};

function titleWord(part) {
  const [, komi] = /^komi (-?[\d.]+)$/.exec(part) || [];
  if (komi) return t`komi ${decimal(komi)}`;
  const [, exactly] = /^exactly (\d+) in a row$/.exec(part) || [];
  const [, least] = /^(\d+) or more in a row$/.exec(part) || [];
  const [, row] = /^(\d+) in a row$/.exec(part) || [];
  if (exactly) return t`exactly ${exactly} in a row`;
  if (least) return t`${least} or more in a row`;
  return row ? t`${row} in a row` : TITLE_WORDS[part] || part;
}

/** What the daemon calls a position of a two-player game: the board, the start and the rules. */
export const titleOf = (title) => title?.split(", ").map(titleWord).join(", ");

/** The figures of a job that is no hunt, whatever its kind. */
export const figures = (job) => job.solution ?? job.proof ?? job.match ?? job.selfplay ?? job.analyse ?? job.tune ?? job.tactics ?? job.mine ?? job.plan ?? job.check;

/** `5T nrpa`; of what is about a game the game and its board. */
export const about = (job) => [job.variant, titleOf(figures(job)?.title), job.strategy || job.kind].filter(Boolean).join(" \u00b7 ");
