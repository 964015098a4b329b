// A game tree of Go as the editor changes it: nodes with properties, variations, comments. It knows no rules and no SGF: the daemon
// reads and writes files and plays to positions. Nothing here is drawn.

/** The properties that a position follows from. */
export const OF_POSITION = ["SZ", "AB", "AW", "AE", "PL", "B", "W"];
const SETUP = { X: "AB", O: "AW", ".": "AE" };

/** A node: `properties` has the values by name, in the order of the file. */
export function makeNode(parent = null, properties = {}, comment = "") {
  return { parent, children: [], properties: new Map(Object.entries(properties)), comment };
}

/** The first nodes of the games in a list of the API. */
export function fromList(list) {
  const nodes = [];
  for (const { parent, properties, comment } of list) {
    const above = parent === null || parent === undefined ? null : nodes[parent];
    const node = makeNode(above, Object.fromEntries(properties.map(({ name, values }) => [name, values])), comment ?? "");
    above?.children.push(node);
    nodes.push(node);
  }
  return nodes.filter(({ parent }) => parent === null);
}

const propertiesOf = (node, wanted = null) =>
  [...node.properties].filter(([name]) => !wanted || wanted.includes(name)).map(([name, values]) => ({ name, values }));

/** All nodes of some trees, each before those below it, the first variation first. */
export function allNodes(firsts) {
  const [found, open] = [[], firsts.toReversed()];
  while (open.length) {
    const node = open.pop();
    found.push(node);
    open.push(...node.children.toReversed());
  }
  return found;
}

/** Trees as a list of the API. */
export function toList(firsts) {
  const places = new Map();
  return allNodes(firsts).map((node, place) => {
    places.set(node, place);
    return { parent: places.get(node.parent) ?? null, properties: propertiesOf(node), ...(node.comment ? { comment: node.comment } : {}) };
  });
}

/** The nodes from the first one of the game to this one. */
export function wayTo(node) {
  const way = [];
  for (let at = node; at; at = at.parent) way.push(at);
  return way.reverse();
}

/** The way to a node as the API takes it, with the `wanted` properties; `below` has its variations, too. */
export function placeOfNode(node, { below = false, wanted = OF_POSITION } = {}) {
  const way = wayTo(node);
  const nodes = way.map((one, n) => ({ parent: n ? n - 1 : null, properties: propertiesOf(one, wanted) }));
  const at = way.length - 1;
  if (below) {
    const places = new Map([[node, at]]);
    for (const one of allNodes(node.children)) {
      places.set(one, nodes.length);
      nodes.push({ parent: places.get(one.parent), properties: propertiesOf(one, wanted), ...(one.comment ? { comment: one.comment } : {}) });
    }
  }
  return { nodes, at };
}

/** The move of a node: {side, point}, the point as SGF has it, empty for a pass; nothing if it has none. */
export function moveOf(node) {
  for (const [name, side] of [["B", "black"], ["W", "white"]]) {
    const [value] = node.properties.get(name) || [];
    // In old files tt is a pass.
    if (value !== undefined) return { side, point: value.trim() === "tt" ? "" : value.trim() };
  }
  return null;
}

/** The values of a property that holds for the nodes below, too, until one of them has it. */
export const inherited = (node, name) => wayTo(node).findLast(({ properties }) => properties.has(name))?.properties.get(name) ?? [];

/** The number of the last move up to a node. */
export const numberOf = (node) => wayTo(node).filter(moveOf).length;

const sameMove = (one, other) => one && other && one.side === other.side && one.point === other.point;

/** The variation below a node that begins with a move; nothing if there is none. */
export const variation = (node, move) => node.children.find((child) => sameMove(moveOf(child), move));

/** Goes into the variation with a move, which is made if it is not there: [its first node, whether it was made]. */
export function play(node, { side, point }) {
  const known = variation(node, { side, point });
  if (known) return [known, false];
  const made = makeNode(node, { [side === "black" ? "B" : "W"]: [point] });
  node.children.push(made);
  return [made, true];
}

/** Takes a node out of the tree with all that is below it. */
export function cut(node) {
  node.parent.children = node.parent.children.filter((child) => child !== node);
}

/** Adds a list of nodes of the API below a node; moves that are there already are not doubled. The number of new ones. */
export function merge(node, list) {
  const places = [];
  let made = 0;
  for (const { parent, properties, comment } of list) {
    const above = parent === null || parent === undefined ? node : places[parent];
    const one = makeNode(above, Object.fromEntries(properties.map(({ name, values }) => [name, values])), comment ?? "");
    const known = variation(above, moveOf(one));
    if (known) {
      known.comment ||= one.comment;
    } else {
      above.children.push(one);
      made += 1;
    }
    places.push(known ?? one);
  }
  return made;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The point in this column and row from the upper left as SGF has it. */
export const pointAt = (x, y) => LETTERS[x] + LETTERS[y];

/** Gives a node what sets `wanted` up where `before` is: both are boards by rows from the upper left. */
export function setUp(node, width, before, wanted) {
  const points = { X: [], O: [], ".": [] };
  for (let n = 0; n < wanted.length; n++) {
    if (wanted[n] !== before[n]) points[wanted[n]].push(pointAt(n % width, Math.floor(n / width)));
  }
  for (const [mark, name] of Object.entries(SETUP)) {
    if (points[mark].length) node.properties.set(name, points[mark]);
    else node.properties.delete(name);
  }
}

/** A node with the same properties in the same place of the tree, which the tree does not have. */
export function copyOf(node) {
  return { parent: node.parent, children: [], properties: new Map(node.properties), comment: node.comment };
}
