// The form for games of a player against itself, from which weights are learned.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { GOMOKU, ofJob, playform, REVERSI, RULE, SEED } from "./playform.js";

const SETTINGS = [
  { name: "games", label: t`Games`, kind: "whole", min: 1, max: 4_000_000, placeholder: "1000", help: t`Number of games.` },
  { name: "nodes", label: t`Nodes for a move`, kind: "count", of: ["gomoku"], placeholder: "2000", help: t`Most nodes for a move of Gomoku.` },
  { name: "depth", label: t`Plies for a move`, kind: "whole", min: 1, max: 20, of: ["reversi"], placeholder: "4", help: t`Plies that are searched for a move of Reversi, before the last twelve moves, which are played perfectly.` },
  { name: "weights", label: t`Weights`, kind: "choice", help: t`Which weights it plays with. A daemon reads no files for its clients.`,
    choices: [{ value: "usual", label: t`Those of the program` }, { value: "by-hand", label: t`Those that were made by hand` }] },
  { name: "size", label: t`Board`, kind: "text", of: ["gomoku"], placeholder: "15", help: t`A number, or columns and rows such as 8x6. Usual are 15 in Gomoku, 8 in Reversi, 9 in Go.` },
  RULE,
  SEED,
];

export default ({ query }) => playform({
  kind: "selfplay", title: t`New self-play`, card: t`Self-play`, games: [GOMOKU, REVERSI], settings: SETTINGS,
  job: ofJob(t`Each plays eight games of its own.`), command: argumentCommand("game"),
}, query);
