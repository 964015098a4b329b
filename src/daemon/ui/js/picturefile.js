// A game as a picture to be kept or sent: a PNG that carries its record, as those of the program do, so that it can be loaded again.

import { crc32, KEYWORD } from "./gridfile.js";
import { CELL, box } from "./grid.js";
import { msrCompact } from "./notation.js";
import { cross, ends } from "./rules.js";

/** Pixels of the picture's side. */
const SIDE = 1200;
/** The four colours of moves from the first to the last, the cross, the rules and the paper, as the program's light pictures have them. */
const AGES = [[0x31, 0x5c, 0xa8], [0x16, 0x8c, 0x8c], [0xc4, 0x84, 0x14], [0xbe, 0x34, 0x30]];
const [CROSS, RULE, PAPER, TEXT] = ["#303640", "#e7eaee", "#ffffff", "#181c22"];

function colour(n, total) {
  const at = total > 1 ? (n / (total - 1)) * (AGES.length - 1) : 0;
  const k = Math.min(AGES.length - 2, Math.floor(at));
  return AGES[k].map((v, c) => Math.round(v + (AGES[k + 1][c] - v) * (at - k)));
}

/** Draws a game on a canvas. */
function drawn(variant, moves) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SIDE, SIDE];
  const pen = canvas.getContext("2d");
  const [left, top, side] = box(variant, moves);
  pen.fillStyle = PAPER;
  pen.fillRect(0, 0, SIDE, SIDE);
  pen.scale(SIDE / (side * CELL), SIDE / (side * CELL));
  pen.translate(-left * CELL, -top * CELL);
  pen.lineCap = "round";
  const stroke = (x1, y1, x2, y2) => {
    pen.beginPath();
    pen.moveTo(x1 * CELL, y1 * CELL);
    pen.lineTo(x2 * CELL, y2 * CELL);
    pen.stroke();
  };
  const disc = (x, y, radius) => {
    pen.beginPath();
    pen.arc(x * CELL, y * CELL, radius * CELL, 0, 2 * Math.PI);
    pen.fill();
  };
  [pen.strokeStyle, pen.lineWidth] = [RULE, 0.5];
  for (let n = Math.ceil(left); n < left + side; n++) stroke(n, top, n, top + side);
  for (let n = Math.ceil(top); n < top + side; n++) stroke(left, n, left + side, n);
  pen.lineWidth = 1.5;
  moves.forEach((move, n) => {
    pen.strokeStyle = `rgb(${colour(n, moves.length)})`;
    stroke(...ends(variant, move));
  });
  pen.fillStyle = CROSS;
  for (const [x, y] of cross(variant)) disc(x, y, 0.25);
  [pen.textAlign, pen.textBaseline, pen.lineWidth] = ["center", "middle", 0.9];
  moves.forEach((move, n) => {
    const own = colour(n, moves.length);
    pen.fillStyle = `rgb(${own.map((v) => Math.round(255 - (255 - v) * 0.1))})`;
    disc(move.x, move.y, 0.35);
    pen.strokeStyle = `rgb(${own})`;
    pen.stroke();
    pen.fillStyle = TEXT;
    pen.font = `${n > 98 ? 6.8 : 8}px sans-serif`;
    pen.fillText(String(n + 1), move.x * CELL, move.y * CELL + 0.4);
  });
  return canvas;
}

/** The picture of a game, as a file of type PNG. */
export async function picture(variant, moves) {
  const blob = await new Promise((done) => drawn(variant, moves).toBlob(done, "image/png"));
  const png = new Uint8Array(await blob.arrayBuffer());
  const data = new TextEncoder().encode(`tEXt${KEYWORD}${(await msrCompact(variant, moves)).trim()}`);
  const chunk = new Uint8Array(data.length + 8);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length - 4);
  chunk.set(data, 4);
  view.setUint32(data.length + 4, crc32(data));
  // After the header, which is 8 bytes of signature and a chunk of 25.
  return new Blob([png.subarray(0, 33), chunk, png.subarray(33)], { type: "image/png" });
}
