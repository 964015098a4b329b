// The board alone, without a daemon: the frame of the static site that `morpion board` writes.

import { languages } from "./language.js";
import { themes } from "./themes.js";
import board from "./views/board.js";

const main = document.getElementById("main");
const query = () => new URLSearchParams(location.hash.split("?")[1] || "");

languages();
themes();
const view = board({ query: query() });
main.append(view.element);
addEventListener("hashchange", () => view.update(query()));
