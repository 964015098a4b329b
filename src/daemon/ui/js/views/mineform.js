// The form for patterns that are mined from games of Go.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { ofJob, playform, SEED } from "./playform.js";

const SETTINGS = [
  { name: "games", label: t`Games`, kind: "whole", min: 1, max: 10_000, placeholder: "20", help: t`Number of games.` },
  { name: "size", label: t`Board`, kind: "whole", min: 3, max: 19, placeholder: "9", help: t`Rows and columns of the board.` },
  { name: "playouts", label: t`Playouts for a move`, kind: "count", placeholder: "100", help: t`Playouts for each move of the games.` },
  { name: "nodes", label: t`Nodes of a reading`, kind: "count", placeholder: "2000", help: t`Each reading is given up after about this many nodes.` },
  { name: "least", label: t`Games with a pattern`, kind: "whole", min: 1, placeholder: "2", help: t`The patterns that come up in at least so many games are kept.` },
  { ...SEED, help: t`Decides the games.` },
];

export default ({ query }) => playform({
  kind: "mine", title: t`New patterns`, card: t`Patterns`, settings: SETTINGS,
  job: ofJob(t`Each plays and searches a game of its own.`, t`Then it ends without patterns.`), command: argumentCommand(),
}, query);
