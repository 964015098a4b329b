// The form for a plan of Gomoku that is looked for.

import { t } from "../language.js";
import { argumentCommand } from "../shell.js";
import { ofJob, playform } from "./playform.js";

const SETTINGS = [
  { name: "position", label: t`Position`, kind: "text", placeholder: t`the empty board`, help: t`The moves of a game such as h8i9g7, or a board such as .X./.O./... black.` },
  { name: "size", label: t`Board`, kind: "text", placeholder: "15", help: t`A number, or columns and rows such as 6x5.` },
  { name: "rule", label: t`Rows that win`, kind: "choice", help: t`Which rows win.`, choices: [{ value: "five", label: t`exactly that long` }, { value: "free", label: t`at least that long` }] },
  { name: "win", label: t`Row that wins`, kind: "whole", min: 3, max: 5, placeholder: "5", help: t`Length of the row that wins.` },
  { name: "wins", label: t`Side that wins`, kind: "choice", help: t`The side that is to win.`, choices: [{ value: "black", label: t`the side that begins` }, { value: "white", label: t`the other side` }] },
  { name: "plan", label: t`Plan to begin with`, kind: "lines", file: ".plan,.txt", placeholder: t`a plan without moves`, help: t`The text of a plan to go on with. Without other settings of the position, it says which one is meant and who wins.` },
  { name: "nodes", label: t`Nodes of a unit`, kind: "count", placeholder: "5M", help: t`After so many nodes other replies have their turn.` },
  { name: "divide_after", label: t`Nodes before a reply is divided`, kind: "count", placeholder: "100M", help: t`After so many nodes several moves of the winner are tried against a reply that its own search has not proven.` },
  { name: "goal_nodes", label: t`Nodes of a reply`, kind: "count", placeholder: t`none is given up`, help: t`After so many nodes a reply that has no plan yet is given up.` },
];

export default ({ query }) => playform({
  kind: "plan", title: t`New plan of Gomoku`, card: t`Plan`, settings: SETTINGS,
  job: ofJob(t`Each looks for the plan of a reply of its own.`, t`Then it ends with the plan as far as it is found.`), command: argumentCommand(),
}, query);
