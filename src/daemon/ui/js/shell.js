// The command that submits the same job in a terminal.

/** A word as a shell takes it. */
export const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A flag with its value; one that begins with a hyphen is joined, since it would be taken for a flag. */
const flag = (name, value) => {
  const [long, text] = [`--${name.replaceAll("_", "-")}`, String(value)];
  return text.startsWith("-") ? quoted(`${long}=${text}`) : `${long} ${quoted(text)}`;
};

/** The words of what every job has: name, priority, when it begins. */
function jobWords({ name, priority, weight, after, not_before: time }) {
  const words = [];
  if (name) words.push(flag("name", name));
  if (priority) words.push(flag("priority", priority));
  if (weight !== undefined) words.push(flag("weight", weight));
  if (after) words.push(flag("after", after));
  if (time) words.push(flag("at", new Date(time * 1000).toISOString().replace(/\.000Z$/, "Z")));
  return words;
}

/**
 * The command for a request to submit a hunt. `typed` has the limits as they were typed; `file` is the name of a file with the grid to
 * start from, `directory` that of a directory with the grids to begin with.
 */
export function submitCommand({ settings, limits, start, grids, ...job }, { typed = {}, file = "grid.txt", directory = "DIRECTORY" } = {}) {
  const words = Object.entries(settings).map(([key, value]) => flag(key, value));
  if (limits.seconds) words.push(flag("time", typed.seconds || `${limits.seconds}s`));
  // The flag counts the main thread, which computes no unit.
  if (limits.workers) words.push(flag("threads", limits.workers + 1));
  if (limits.iterations) words.push(flag("all_iterations", typed.iterations || limits.iterations));
  if (limits.memory) words.push(flag("memory", /^[0-9]+[kKMG]?$/.test(typed.memory) ? typed.memory : limits.memory));
  words.push(...jobWords(job));
  if (start) words.push(`--init-file ${quoted(file)} ${start.moves}`);
  if (grids) words.push(`--init-dir ${quoted(directory)}`);
  return ["morpion job submit", ...words].join(" ");
}

/** Settings that are switches: as a flag such a setting takes its value after an equals sign only. */
const SWITCHES = ["every_move", "check"];

/** A setting as a flag. */
const settingFlag = ([key, value]) => (SWITCHES.includes(key) ? `--${key.replaceAll("_", "-")}=${value}` : flag(key, value));

/** The flags of a job of players: its settings, its limits, and what every job has. */
const playWords = (settings, limits, job) => [...Object.entries(settings).map(settingFlag),
  limits.seconds && flag("all_time", `${limits.seconds}s`), limits.workers && flag("threads", limits.workers), ...jobWords(job)].filter(Boolean);

/** The command for a request to submit a match. */
export const matchCommand = ({ settings: { a, b, ...settings }, limits, ...job }) =>
  ["morpion job submit match", quoted(String(a)), quoted(String(b)), ...playWords(settings, limits, job)].join(" ");

/** The command for a request to submit a job of a kind whose argument is the setting of this name, if it has one. */
export const argumentCommand = (argument) => ({ kind, settings, limits, ...job }) => {
  const { [argument]: value, ...rest } = settings;
  return ["morpion job submit", kind, value !== undefined && quoted(String(value)), ...playWords(rest, limits, job)].filter(Boolean).join(" ");
};
