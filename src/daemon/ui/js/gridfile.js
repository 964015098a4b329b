// Files with grids that somebody chooses or drops: texts, records, and pictures that carry a record.

import { t } from "./language.js";




/** Largest text of a grid that the daemon takes, in bytes. */
export const LARGEST = 1024 * 1024;
/** Largest picture that is looked into, in bytes. */
const LARGEST_PICTURE = 64 * LARGEST;

/** The names that a dialog for choosing a file offers. */
export const ACCEPTED = ".txt,.psol,.msr,.json,.png,.svg";

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** What a text chunk with a record begins with: its keyword and a zero. */
export const KEYWORD = "msr\0";

/** The check sum of a chunk's type and data. */
export function crc32(bytes) {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let n = 0; n < 8; n++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

const ascii = (bytes) => new TextDecoder("latin1").decode(bytes);

/** The record in the chunks of a PNG, or nothing. */
function recordInPng(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = PNG.length; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const data = at + 8;
    if (data + length + 4 > bytes.length) return null;
    const kind = ascii(bytes.subarray(at + 4, data));
    if (kind === "tEXt" && ascii(bytes.subarray(data, data + KEYWORD.length)) === KEYWORD) {
      return ascii(bytes.subarray(data + KEYWORD.length, data + length));
    }
    at = data + length + 4;
  }
  return null;
}

/** The text of a file with a grid. Of a picture it is the record that it carries. An error has a message to be shown. */
export async function gridText(file) {
  const isPicture = /\.(png|svg)$/i.test(file.name);
  if (file.size > (isPicture ? LARGEST_PICTURE : LARGEST)) {
    throw new Error(t`The file is larger than ${isPicture ? 64 : 1} MiB, which no grid file is.`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (PNG.every((byte, i) => bytes[i] === byte)) {
    const record = recordInPng(bytes);
    if (record === null) throw new Error(t`The picture carries no record.`);
    return record;
  }
  const text = new TextDecoder().decode(bytes);
  const element = /<metadata[^>]*id="morpion-solitaire-record"[^>]*>([^<]*)</.exec(text);
  if (element) return element[1].trim();
  if (/^\s*<svg|^\s*<\?xml/.test(text)) throw new Error(t`The picture carries no record.`);
  return text;
}

/** Lets files be dropped on a node; `take(file)` is called with the first of them. */
export function takesDrops(node, take) {
  const holdsFiles = (event) => [...event.dataTransfer.types].includes("Files");
  const mark = (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    node.classList.add("dropping");
  };
  const unmark = () => node.classList.remove("dropping");
  node.addEventListener("dragenter", mark);
  node.addEventListener("dragover", mark);
  node.addEventListener("dragleave", (event) => {
    if (!node.contains(event.relatedTarget)) unmark();
  });
  node.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    unmark();
    const [file] = event.dataTransfer.files;
    if (file) take(file);
  });
}
