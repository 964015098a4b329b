// The form for a plan of Gomoku that is checked.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { ofJob, playform } from "./playform.js";

const SETTINGS = [
  { name: "plan", label: t`Plan`, kind: "lines", file: ".plan,.txt", help: t`The text of a plan, or its file, as morpion plan find writes it.` },
  { name: "moves", label: t`Moves of a unit`, kind: "whole", min: 1, placeholder: "20", help: t`After so many moves of the plan other jobs have their turn.` },
];

export default ({ query }) => playform({
  kind: "check", title: t`New check of a plan of Gomoku`, card: t`Plan`, settings: SETTINGS,
  job: ofJob(t`Each checks moves of its own.`, t`Then it ends with what has been checked.`), command: argumentCommand(),
}, query);
