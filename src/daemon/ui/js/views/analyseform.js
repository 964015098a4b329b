// The form for positions that are analysed.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { GO, GOMOKU, ofJob, playform, REVERSI, RULE } from "./playform.js";

const SETTINGS = [
  { name: "positions", label: t`Positions`, kind: "lines", placeholder: t`the empty board`, help: t`One on each line: the moves of a game such as h8i9g7, a game in SGF or GGF, or a board such as .X./.O./... black.` },
  { name: "every_move", label: t`Every move`, kind: "switch", help: t`Whether of a game each position is analysed, and not only the last one.` },
  { name: "size", label: t`Board`, kind: "text", placeholder: t`the usual one`, help: t`A number, or columns and rows such as 8x6. Usual are 15 in Gomoku, 8 in Reversi, 9 in Go.` },
  RULE,
  { name: "komi", label: t`Komi`, kind: "number", of: ["go"], placeholder: "0", help: t`What white gets beside its area.` },
  { name: "level", label: t`Level`, kind: "whole", min: 1, max: 10, placeholder: "10", help: t`How strong the machine plays.` },
  { name: "time", label: t`Time for a position`, kind: "seconds", placeholder: "10s", help: t`Time of the processor.` },
  { name: "nodes", label: t`Nodes for a position`, kind: "count", placeholder: t`as many as the time allows`, help: t`If they are used up before the time, the values are the same each time. In Go playouts.` },
  { name: "depth", label: t`Plies`, kind: "whole", min: 1, of: ["gomoku", "reversi"], placeholder: t`as many as the time allows`, help: t`Most plies that are searched.` },
  { name: "best", label: t`Moves`, kind: "whole", min: 1, placeholder: t`all`, help: t`Number of moves to tell of, the best ones.` },
];

export default ({ query }) => playform({
  kind: "analyse", title: t`New analysis`, card: t`Analysis`, games: [GOMOKU, REVERSI, GO], settings: SETTINGS,
  job: ofJob(t`Each analyses a position of its own.`, t`Then it ends with what has been analysed.`), command: argumentCommand("game"),
}, query);
