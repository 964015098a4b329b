// The form for weights that are learned from the games of other jobs.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { GOMOKU, ofJob, playform, REVERSI } from "./playform.js";

/** What is learned where a setting counts: nothing that is chosen is weights. */
const [WEIGHTS, NETWORK] = [{ learn: ["", "weights"] }, { learn: ["network"] }];

const SETTINGS = [
  { name: "games_of", label: t`Games of the jobs`, kind: "text", placeholder: t`such as 3,5`, help: t`The numbers of jobs of self-play, with commas between. What they have made when this job begins is taken.` },
  { name: "learn", label: t`Learn`, kind: "choice", of: ["gomoku"], help: t`What is learned.`,
    choices: [{ value: "weights", label: t`Weights` }, { value: "network", label: t`A network that corrects their estimate` }] },
  { name: "steps", label: t`Steps`, kind: "whole", min: 1, max: 100_000, when: WEIGHTS, placeholder: t`300 for Gomoku, 30 for Reversi`, help: t`Steps of the fit, each over all positions; in Reversi for each stage of the game.` },
  { name: "passes", label: t`Passes`, kind: "whole", min: 1, max: 1000, of: ["gomoku"], when: NETWORK, placeholder: "8", help: t`How often each position is taken.` },
  { name: "search_part", label: t`Part of the search`, kind: "number", min: 0, max: 1, of: ["gomoku"], placeholder: t`0, for a network 0.5`, help: t`How much of the target is the value of the search, 0 to 1; the rest is the end of the game.` },
  { name: "search", label: t`Plies of searches`, kind: "whole", min: 2, max: 20, of: ["reversi"], placeholder: t`the ends of games`, help: t`Learn what searches of so many plies say of the positions, instead of how the games end.` },
  { name: "penalty", label: t`Penalty`, kind: "number", min: 0, when: WEIGHTS, placeholder: t`16 for Gomoku, 50 for Reversi`, help: t`How much weights that few games speak for are drawn to 0.` },
  { name: "weights", label: t`Weights`, kind: "choice", of: ["gomoku"], when: WEIGHTS, help: t`The weights to compare with.`,
    choices: [{ value: "usual", label: t`Those of the program` }, { value: "by-hand", label: t`Those that were made by hand` }] },
];

/** When it begins. */
const AFTER = { name: "after", part: "job", label: t`After job`, kind: "whole", min: 1, help: t`Begins when the job of this number has finished; if that one fails or is cancelled, this one is cancelled.`, placeholder: t`none` };

export default ({ query }) => playform({
  kind: "tune", title: t`New weights`, card: t`Weights`, games: [GOMOKU, REVERSI], settings: SETTINGS,
  job: [...ofJob(t`In Reversi each fits a stage of the game; in Gomoku one does all.`, t`Then it ends without weights.`), AFTER], command: argumentCommand("game"),
}, query);
