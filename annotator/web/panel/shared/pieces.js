/** A text and its changed version as one running text: what was there alone struck through, what is new marked. */
import { element } from "./dom.js";

/**
 * @param {Array<[string, string, string]>} pieces  kind of run, text before, text after
 * @param {(text: string, isFirst: boolean, isLast: boolean) => string} [keep]  what is shown of a piece that stayed
 * @returns {Array<Node|string>}
 */
export function pieceNodes(pieces, keep = (text) => text) {
  return pieces.flatMap(([kind, before, after], place) => {
    if (kind === "kept") return [keep(after, place === 0, place === pieces.length - 1)];
    const isBoth = kind === "replaced";
    return [
      ...marked("del", before, isBoth),
      ...(isBoth ? marked("ins", after.trimStart(), isBoth) : marked("ins", after)),
    ];
  });
}

/**
 * The white space before the words stands outside of the mark; of a replacement it stands there once.
 * @param {"del"|"ins"} tag
 * @param {string} text
 */
function marked(tag, text, isBoth = false) {
  const words = text.trimStart();
  return text
    ? [text.slice(0, text.length - words.length), element(tag, { class: isBoth ? "replaced" : "" }, words)]
    : [];
}
