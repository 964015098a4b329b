// The form for a match of two players of this program.

import { t } from "../language.js";
import { matchCommand } from "../shell.js";
import { GO, GOMOKU, ofJob, playform, REVERSI, RULE, SEED } from "./playform.js";

const PLAYER = t`morpion is the strongest; morpion:5 plays on level 5 (1 to 10). Settings after the colon: level=5, nodes=3000, time=0.2s; in Gomoku also brain=thesis and without=PART, in Go seed=N.`;

const SETTINGS = [
  { name: "a", label: t`Player A`, kind: "text", placeholder: "morpion", help: PLAYER },
  { name: "b", label: t`Player B`, kind: "text", placeholder: "morpion", help: t`As player A. A daemon starts no programs for its clients.` },
  { name: "size", label: t`Board`, kind: "text", placeholder: t`the usual one`, help: t`A number, or columns and rows such as 8x6. Usual are 15 in Gomoku, 8 in Reversi, 9 in Go.` },
  RULE,
  { name: "komi", label: t`Komi`, kind: "number", of: ["go"], placeholder: "0", help: t`What white gets beside its area.` },
  { name: "pairs", label: t`Pairs of games`, kind: "whole", min: 1, max: 1_000_000, placeholder: "50", help: t`The two games of a pair begin with the same moves, and each player has black once.` },
  { name: "time", label: t`Time for a move`, kind: "seconds", placeholder: "1s", help: t`Time of the processor.` },
  { name: "nodes", label: t`Nodes for a move`, kind: "count", placeholder: t`as many as the time allows`, help: t`If they are used up before the time, the same seed gives the same games. In Go playouts.` },
  { name: "sprt", label: t`Test`, kind: "text", placeholder: t`no test`, help: t`Two differences in Elo such as 0,30: the match ends when it is decided which of them is the right one, with errors of 5 %.` },
  SEED,
];

export default ({ query }) => playform({
  kind: "match", title: t`New match`, card: t`Match`, games: [GOMOKU, REVERSI, GO], settings: SETTINGS, job: ofJob(t`Each plays a pair of its own.`),
  usual: { a: "morpion", b: "morpion" }, command: matchCommand,
}, query);
