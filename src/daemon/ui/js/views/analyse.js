// The parts of the page of positions that are analysed: how many, their best moves, and one of them on the board.

import { get, query } from "../api.js";
import { button, h, keyed, say, show } from "../dom.js";
import { count, decimal, duration, isOver, ofLimit, short, tick, titleOf } from "../format.js";
import { GameBoard, sideName } from "../gameboard.js";
import { t } from "../language.js";
import { failed } from "./parts.js";

/** Positions that are shown at first, and at most. */
const PAGE = 40;
const MOST = 1000;
/** Moves whose values are on the board, moves of a line. */
const MARKED = 9;
const LONGEST = 8;
/** Moves of a position that are listed. */
const LISTED = 15;

const card = (title, ...children) => h("section", { class: "card", "aria-label": title }, h("header", {}, h("h2", {}, title)), children);

/** What a move is worth to the side that makes it, in words. */
function worth({ value, decided_in: decided }, game) {
  if (decided !== null) {
    if (value === 0) return t`a draw`;
    if (game === "gomoku") return value > 0 ? t`wins in ${decided} plies` : t`loses in ${decided} plies`;
    return value > 0 ? t`wins by ${Math.floor(value)}` : t`loses by ${Math.floor(-value)}`;
  }
  const text = game === "gomoku" ? String(value) : decimal(value.toFixed(1));
  return (value > 0 ? `+${text}` : text).replace("-", "\u2212");
}

/** How many positions are analysed. */
export function analyseCard() {
  const [title, value] = [h("p", { class: "small" }), h("strong", { class: "score num" })];
  const fill = h("i", {});
  const bar = h("div", { class: "bar", role: "progressbar", "aria-label": t`positions that are analysed`, "aria-valuemin": 0, "aria-valuemax": 100 }, fill);
  const node = card(t`Analysis`, h("div", { class: "stack" }, title, value, bar));
  node.draw = ({ analyse: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    say(title, titleOf(found.title));
    say(value, t`${count(found.positions_done)} of ${count(found.positions)}`);
    const share = Math.floor((100 * found.positions_done) / found.positions);
    fill.style.width = `${share}%`;
    bar.setAttribute("aria-valuenow", share);
  };
  return node;
}

/** Positions, nodes and time. */
export function analyseFactsCard() {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["positions", t`Positions`], ["nodes", t`Nodes`], ["rate", t`Per second`], ["time", t`Has run`], ["cpu", t`CPU time`],
    ["workers", t`Workers`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const node = h("section", { class: "card", "aria-label": t`Numbers of the analysis` }, list);
  node.draw = (job) => {
    const { analyse: found } = job;
    show(node, Boolean(found));
    if (!found) return;
    say(rows.positions, ofLimit(count(found.positions_done), count(found.positions)));
    say(rows.nodes, short(job.iterations));
    rows.nodes.title = count(job.iterations);
    say(rows.rate, job.workers ? short(job.rate) : "\u2013");
    say(rows.time, ofLimit(duration(job.seconds), job.limits.seconds && duration(job.limits.seconds)));
    say(rows.cpu, found.cpu_seconds ? tick(found.cpu_seconds) : "\u2013");
    say(rows.workers, ofLimit(job.workers, job.limits.workers));
    // What is over has no speed and no workers.
    for (const row of [rows.rate, rows.workers]) show(row.parentNode, !isOver(job));
  };
  return node;
}

/** The position that was chosen: its board with the values of its best moves, and all of them in a table. */
function chosenCard() {
  const board = new GameBoard({ label: t`The position` });
  const [what, play, body] = [h("p", { class: "small" }), h("a", { class: "button" }, t`Open on the board`), h("tbody", {})];
  const heads = [t`Move`, t`Value`, t`Depth`, t`Line`];
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of moves` }, h("table", {}, h("thead", {}, h("tr", {},
    heads.map((text, n) => h("th", { scope: "col", class: n === 2 ? "num" : "" }, text)))), body));
  const node = card(t`Chosen position`, board.element, h("div", { class: "stack" }, what, h("div", { class: "row" }, play), table));
  node.hidden = true;
  node.set = (position, game) => {
    const { number, side, played, moves, width, height, cells } = position;
    const marked = moves.slice(0, MARKED).map(({ move, value }) => ({ name: move, lower: Math.round(value), upper: Math.round(value) }));
    board.draw({ game, width, height, cells, side }, { moves: marked, best: moves.slice(0, 1).map(({ move }) => move), last: played.at(-1) ?? null });
    const over = moves.length ? "" : ` \u00b7 ${t`the game is over`}`;
    say(what, `${t`Position ${count(number + 1)}`} \u00b7 ${t`${sideName(side)} to move`}${over}`);
    play.href = `#/games${query({ game, size: game === "reversi" ? `${width}x${height}` : undefined, position: position.position })}`;
    keyed(body, moves.slice(0, LISTED), (one) => `${number} ${one.move}`, (one) => h("tr", {}, h("td", {}, one.move), h("td", {}, worth(one, game)),
      h("td", { class: "num" }, one.depth), h("td", {}, one.line.slice(0, LONGEST).join(" "))));
    show(node, true);
  };
  return node;
}

/** The positions that are analysed, each with its best move. Its `chosen` is the card of the one that was chosen. */
export function analysesCard(id) {
  const body = h("tbody", {});
  const [nothing, trouble] = [h("p", { class: "faint" }, t`No position is analysed yet.`), h("div", {})];
  const more = button(t`More positions`, { onclick: () => {
    wanted = Math.min(4 * wanted, MOST);
    load();
  } });
  const rest = h("p", { class: "faint small", hidden: true }, t`The command \u201cmorpion job analyses ${id}\u201d has all positions.`);
  const heads = [t`Position`, t`Side`, t`Best move`, t`Value`, t`Made in the game`, t`Value`, ""];
  const table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table of positions` }, h("table", {}, h("thead", {}, h("tr", {},
    heads.map((text, n) => h("th", { scope: "col", class: n === 0 ? "num" : "" }, text)))), body));
  const node = card(t`Best moves`, nothing, table, trouble, rest, h("div", {}, more));
  node.hidden = true;
  node.chosen = chosenCard();
  let [game, known, wanted, loading, chosen] = [null, [], PAGE, false, false];
  const choose = (position) => {
    chosen = true;
    node.chosen.set(position, game);
  };
  const row = (position) => {
    const [best] = position.moves;
    const made = position.moves.find(({ move }) => move === position.next);
    return h("tr", {}, h("td", { class: "num" }, count(position.number + 1)), h("td", {}, sideName(position.side)), h("td", {}, best ? best.move : t`the game is over`),
      h("td", {}, best ? worth(best, game) : ""), h("td", {}, position.next ?? "\u2013"), h("td", {}, made ? worth(made, game) : ""),
      h("td", {}, button(t`Show`, { onclick: () => choose(position) })));
  };
  async function load() {
    if (loading) return;
    loading = true;
    try {
      const listing = await get(`/jobs/${id}/analyses${query({ limit: wanted })}`);
      known = listing.items;
      trouble.replaceChildren();
      keyed(body, known, (position) => position.number, row);
      if (!chosen && known.length) choose(known[0]);
      show(nothing, !known.length);
      show(table, known.length > 0);
      show(more, Boolean(listing.next) && wanted < MOST);
      show(rest, Boolean(listing.next) && wanted >= MOST);
    } catch (problem) {
      trouble.replaceChildren(failed(problem, () => load()));
    }
    loading = false;
  }
  show(table, false);
  show(more, false);
  node.draw = ({ analyse: found }) => {
    show(node, Boolean(found));
    if (!found) return;
    game = found.game;
    if (found.positions_done && known.length < Math.min(wanted, found.positions_done)) load();
  };
  return node;
}
