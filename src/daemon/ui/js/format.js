// Numbers, times and names as people read them.

const THIN = "\u202f";

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
      return `${value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0)}${THIN}${unit}`;
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
  if (days > 0) return `${days}${THIN}d ${two(hours)}${THIN}h`;
  if (hours > 0) return `${hours}${THIN}h ${two(minutes)}${THIN}min`;
  if (minutes > 0) return `${minutes}${THIN}min ${two(total % 60)}${THIN}s`;
  return `${total}${THIN}s`;
}

/** A duration as short as an axis wants it. */
export function tick(seconds) {
  if (seconds < 1) return `${+(seconds * 1000).toPrecision(2)}${THIN}ms`;
  if (seconds < 60) return `${+seconds.toPrecision(3)}${THIN}s`;
  if (seconds < 3600) return `${+(seconds / 60).toPrecision(3)}${THIN}min`;
  if (seconds < 86400) return `${+(seconds / 3600).toPrecision(3)}${THIN}h`;
  return `${+(seconds / 86400).toPrecision(3)}${THIN}d`;
}

/** Bytes: 1.5 GiB. */
export function bytes(n) {
  if (!Number.isFinite(n)) return "\u2013";
  for (const [size, unit] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (n >= size) return `${+(n / size).toPrecision(3)}${THIN}${unit}`;
  }
  return `${n}${THIN}B`;
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
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${THIN}min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)}${THIN}h ago`;
  return `${Math.floor(seconds / 86400)}${THIN}d ago`;
}

/** One move, two moves. */
export const moves = (n) => (n === 1 ? "1 move" : `${n} moves`);

export const STATES = {
  queued: "queued", running: "running", paused: "paused", draining: "draining",
  finished: "finished", cancelled: "cancelled", failed: "failed",
};

const REASONS = {
  target: "reached its target", exhausted: "searched everything: proven", finished: "did all its runs",
  time: "time is up", iterations: "iterations used up", drained: "drained", solved: "solved", proved: "proved",
};

/** Why a job ended. */
export const reason = (text) => REASONS[text] || text || "";

/** Whether nothing will change the job any more. */
export const isOver = (job) => job.state === "finished" || job.state === "cancelled" || job.state === "failed";

/** `5T nrpa`; of a solver job the game and its board. */
export const about = (job) => [job.variant, job.solution?.title, job.strategy || job.kind].filter(Boolean).join(" \u00b7 ");
