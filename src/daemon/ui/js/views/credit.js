// Who has computed how much: the totals of the project, its users and teams, one user by machine and day, and messages.

import { Problem, download, get } from "../api.js";
import { DayChart } from "../daychart.js";
import { button, h, keyed, say, show, toast } from "../dom.js";
import { ago, count, decimal, moment, tick } from "../format.js";
import { t } from "../language.js";
import { card } from "./cards.js";

const AGAIN_MS = 5000;
const SHOWN_MESSAGES = 20;

/** Points of credit: more digits of small numbers. */
const points = (credit) => (credit < 10 ? decimal(credit.toFixed(3)) : credit < 1000 ? decimal(credit.toFixed(1)) : count(Math.round(credit)));

const heads = (name) => [name, t`Credit`, t`Units`, t`of hunts`, t`of solutions`, t`of proofs`, t`of players`, t`Worker time`, t`Machines`, t`Last credit`];

/** What stands in a row behind its name. */
const figures = (one) => [points(one.credit), count(one.units), count(one.units_hunt), count(one.units_solve), count(one.units_prove),
  count(one.units_players), tick(one.seconds), count(one.machines), one.last ? ago(one.last) : "\u2013"];

/** A table of users, teams, machines or days; `link` makes the name a link. */
function tableCard(title, name, link) {
  const columns = heads(name);
  const body = h("tbody");
  const more = h("p", { class: "faint small" });
  const node = card(title, h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": t`Table: ${title}` },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map((text, n) => h("th", { class: n ? "num" : "", scope: "col" }, text)))), body)), more);
  node.set = (rows, all = rows.length) => {
    show(node, rows.length > 0);
    keyed(body, rows, (row) => row.key, (row) => h("tr", {}, columns.map((_, n) =>
      h("td", { class: n ? "num" : "" }, n === 0 && link && h("a", { href: link(row) }, row.name)))), (item, row) => {
      if (!link) say(item.children[0], row.team ? `${row.name} (${row.team})` : row.name);
      figures(row).forEach((text, n) => say(item.children[n + 1], text));
      item.children[9].title = row.last ? moment(row.last) : "";
    });
    show(more, all > rows.length);
    say(more, t`${count(rows.length)} of ${count(all)} are shown.`);
  };
  return node;
}

/** The sums of the project or of a user. */
function totalsCard(title) {
  const rows = {};
  const list = h("dl", { class: "facts" }, [["credit", t`Credit`], ["units", t`Units`], ["hunt", t`Units of hunts`], ["solve", t`Units of solutions`],
    ["prove", t`Units of proofs`], ["players", t`Units of players`], ["time", t`Worker time`], ["machines", t`Machines`], ["last", t`Last credit`]].map(([name, text]) => {
    rows[name] = h("dd", {}, "\u2013");
    return h("div", {}, h("dt", {}, text), rows[name]);
  }));
  const rule = h("p", { class: "faint small" });
  const node = card(title, list, rule);
  node.set = (total, how) => {
    const [credit, units, hunt, solve, prove, players, time, machines, last] = figures(total);
    Object.entries({ credit, units, hunt, solve, prove, players, time, machines, last }).forEach(([name, text]) => say(rows[name], text));
    show(rule, Boolean(how));
    if (how) {
      say(rule, how.rule === "unit" ? t`A unit is worth one point.`
        : t`A worker that plays ${count(how.reference_speed)} random games of 5T per second earns 100 points a day.`);
    }
  };
  return node;
}

/** What was said to users: to all of them, or to all and to one. */
function messagesCard() {
  const list = h("ol", { class: "events" });
  const node = card(t`Messages`, list);
  node.hidden = true;
  node.set = (messages) => {
    show(node, messages.length > 0);
    keyed(list, messages.slice(0, SHOWN_MESSAGES), (message) => message.number, (message) => h("li", { class: "event message" },
      h("time", { class: "faint num", datetime: new Date(message.time * 1000).toISOString() }, moment(message.time)),
      h("span", {}, message.to && [h("a", { href: userLink(message.to) }, t`To ${message.to}`), ": "], message.text)));
  };
  return node;
}

const userLink = (name) => `#/credit/users/${encodeURIComponent(name)}`;

/** Asks now and again; what went wrong is said once. */
function asking(load, wrong) {
  const control = new AbortController();
  const ask = () => load(control.signal).catch((problem) => {
    if (!control.signal.aborted) wrong(problem);
  });
  const timer = setInterval(ask, AGAIN_MS);
  ask();
  return () => {
    clearInterval(timer);
    control.abort();
  };
}

function project() {
  const totals = totalsCard(t`The project`);
  const users = tableCard(t`Users`, t`User`, (row) => userLink(row.name));
  const teams = tableCard(t`Teams`, t`Team`);
  const messages = messagesCard();
  const nothing = h("p", { class: "faint" }, t`Nobody has credit yet. It comes with the first unit that is computed.`);
  const save = button(t`Save as a table`, { glyph: "save", quiet: true, onclick: () =>
    download("/credit/export", "credit.csv").catch((problem) => toast(problem.message, "bad")) });
  const trouble = h("p", { class: "note bad" });
  const element = h("div", { class: "cards" }, h("div", { class: "row spread" }, h("h1", {}, t`Credit`), save),
    trouble, nothing, totals, messages, users, teams);
  [trouble, nothing, totals, users, teams].forEach((part) => show(part, false));
  const stop = asking(async (signal) => {
    const [credit, told] = await Promise.all([get("/credit", signal), get("/messages", signal)]);
    const keys = (list) => list.map((one) => ({ ...one, key: one.name }));
    show(trouble, false);
    show(nothing, !credit.users.length);
    show(totals, credit.users.length > 0);
    totals.set(credit.total, credit);
    users.set(keys(credit.users), credit.users_count);
    teams.set(keys(credit.teams), credit.teams_count);
    messages.set(told.items);
  }, (problem) => {
    show(trouble, true);
    say(trouble, problem.message);
  });
  return { element, title: t`Credit`, page: "credit", destroy: stop };
}

function ofUser(name) {
  const totals = totalsCard(t`In all`);
  const chart = new DayChart({ label: t`Credit by day`, text: (v) => t`${points(v)} of credit` });
  const history = card(t`Credit by day`, chart.element);
  const machines = tableCard(t`Machines`, t`Machine`);
  const messages = messagesCard();
  const trouble = h("p", { class: "note bad" });
  const element = h("div", { class: "cards" }, h("p", { class: "small" }, h("a", { href: "#/credit" }, t`All users`)), h("h1", {}, name),
    trouble, totals, messages, history, machines);
  [trouble, totals, history, machines].forEach((part) => show(part, false));
  const stop = asking(async (signal) => {
    const [account, told] = await Promise.all([get(`/credit/users/${encodeURIComponent(name)}`, signal), get("/messages", signal)]);
    show(trouble, false);
    [totals, history].forEach((part) => show(part, true));
    totals.set(account.total);
    chart.set(account.days.map(({ day, credit }) => ({ day, value: credit })));
    machines.set(account.machines.map((one) => ({ ...one, key: JSON.stringify([one.name, one.team]) })));
    messages.set(told.items.filter((message) => !message.to || message.to === name));
  }, (problem) => {
    show(trouble, true);
    say(trouble, problem instanceof Problem && problem.status === 404 ? t`${name} has no credit yet.` : problem.message);
  });
  return {
    element, title: name, page: "credit",
    destroy: () => {
      stop();
      chart.destroy();
    },
  };
}

export default function credit({ params }) {
  const [name] = params;
  return name === undefined ? project() : ofUser(decodeURIComponent(name));
}
