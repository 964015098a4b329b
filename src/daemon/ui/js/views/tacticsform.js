// The form for tactical questions that are answered.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { ofJob, playform } from "./playform.js";

const SETTINGS = [
  { name: "questions", label: t`Questions`, kind: "lines", help: t`One on each line, in columns with tabs between: number, question (attack, defend, connect, disconnect, kill, live), stone or stones, expected answer (it may be empty), size, black stones, white stones. Then, if there are any: the point that a ko forbids, and the region of kill or live.` },
  { name: "nodes", label: t`Nodes of a reading`, kind: "count", placeholder: "300000", help: t`Each reading is given up after about this many nodes.` },
  { name: "moves", label: t`Moves of the attacker`, kind: "choice", help: t`Where the attacker's moves come from.`,
    choices: [{ value: "generators", label: t`the points around the chains` }, { value: "patterns", label: t`patterns alone` }, { value: "both", label: t`patterns first` }] },
  { name: "database", label: t`Patterns`, kind: "lines", placeholder: t`those of the program`, help: t`A database of patterns in SGF, as jobs that mine patterns make it.` },
  { name: "check", label: t`Check proofs`, kind: "switch", help: t`Whether each proof is replayed by the naive rules.` },
];

export default ({ query }) => playform({
  kind: "tactics", title: t`New tactical questions`, card: t`Tactics`, settings: SETTINGS,
  job: ofJob(t`Each answers a question of its own.`, t`Then it ends with what has been answered.`), command: argumentCommand("questions"),
}, query);
