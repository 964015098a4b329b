// The buttons with which a person chooses in an opening.

import { button, h, show } from "../dom.js";
import { t } from "../language.js";
import { CHOICES } from "../opening.js";

/** The keys that press the buttons. */
const KEYS = { w: "white", b: "black", a: "add" };

/** The choices that are open to a person; `board` gave the keyboard's place away when there was no point to choose. */
export function openingChoices(session, board) {
  const buttons = Object.entries(CHOICES).map(([name, label]) => button(label, { "data-choice": name, onclick: () => session.play(name) }));
  const node = h("div", { class: "row", role: "group", "aria-label": t`Choice`, hidden: true }, buttons);
  node.draw = () => {
    const { view, tool, hinted, thought } = session;
    const isOpen = Boolean(view.opening?.turn === "choose" && !tool && !session.isMachinesTurn());
    const begins = isOpen && node.hidden;
    const ends = !isOpen && node.contains(document.activeElement);
    show(node, isOpen);
    for (const one of buttons) {
      show(one, view.legal.includes(one.dataset.choice));
      one.classList.toggle("main", Boolean(hinted && thought.line[0] === one.dataset.choice));
    }
    if (begins && board.left && document.activeElement === document.body) buttons.find((one) => !one.hidden)?.focus({ preventScroll: true });
    if (ends) board.takeBack(view);
  };
  node.key = (key) => (node.hidden ? null : buttons.find((one) => one.dataset.choice === KEYS[key] && !one.hidden));
  return node;
}
