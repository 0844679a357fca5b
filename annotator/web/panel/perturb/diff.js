/**
 * A changed text as one running text: what was deleted struck through, what was put in framed, proposed sets dashed.
 */
import { _, several } from "../words/language.js";
import { element } from "../shared/dom.js";
import { nodesOf } from "./sets.js";

/** Kept words without a proposal are left out beyond this, some staying at either end. */
const LONG = 80;
const STAYS = 20;

/** @typedef {(from: number, to: number) => (Node|string)[]} Shown  tokens of the changed text */

/**
 * The runs of each segment: every run has tokens on some side, and together they hold each token once.
 * @param {CutSegment[]} before
 * @param {CutSegment[]} after
 * @param {Run[]} runs
 */
export function runsBySegment(before, after, runs) {
  let next = 0;
  return before.map((segment, place) => {
    /** @type {Run[]} */
    const own = [];
    const ends = [segment.first + segment.tokens.length, after[place].first + after[place].tokens.length];
    let at = [segment.first, after[place].first];
    while (next < runs.length && (at[0] < ends[0] || at[1] < ends[1])) {
      own.push(runs[next]);
      at = [runs[next][2], runs[next][4]];
      next += 1;
    }
    return own;
  });
}

/**
 * @param {CutSegment} before  the original's segment
 * @param {CutSegment} after   the changed one
 * @param {Run[]} runs
 * @param {string[]} combos  of the changed text: the proposed sets that each token is in
 * @param {{folds: boolean, unfold: () => void}} how
 */
export function diffNodes(before, after, runs, combos, { folds, unfold }) {
  /** @param {number} token */
  const classOf = (token) => (combos[token] ? `p${combos[token]}` : "");
  /** @param {number} from @param {number} to */
  const old = (from, to) => nodesOf(before, from - before.first, to - before.first, () => "");
  /** @type {Shown} */
  const now = (from, to) => nodesOf(after, from - after.first, to - after.first, classOf);
  const nodes = runs.flatMap(([kind, start, end, otherStart, otherEnd]) => {
    if (kind === "kept") return folds ? folded(otherStart, otherEnd, combos, now, unfold) : now(otherStart, otherEnd);
    const where = { "data-from": otherStart, "data-to": otherEnd };
    if (kind === "deleted") return outside("del", old(start, end), where);
    if (kind === "inserted") return outside("ins", now(otherStart, otherEnd), where);
    return [
      ...outside("del", old(start, end), { ...where, class: "replaced" }),
      ...outside("ins", now(otherStart, otherEnd), { ...where, class: "replaced" }),
    ];
  });
  return [...nodes, after.rest];
}

/**
 * White space before a change stands outside of it; `where`: the tokens of the changed text that it stands for.
 * @param {"del"|"ins"} tag
 * @param {(Node|string)[]} nodes
 * @param {Object<string, string|number>} where
 */
function outside(tag, nodes, where) {
  const [first] = nodes;
  const isSpace = typeof first === "string" && !first.trim();
  return isSpace ? [first, element(tag, where, ...nodes.slice(1))] : ["", element(tag, where, ...nodes)];
}

/**
 * Kept tokens, with long stretches that have nothing to show left out.
 * @param {number} start
 * @param {number} end
 * @param {string[]} combos
 * @param {Shown} now
 * @param {() => void} unfold
 */
function folded(start, end, combos, now, unfold) {
  /** @type {(Node|string)[]} */
  const nodes = [];
  let from = start;
  for (let at = start; at < end;) {
    let stop = at;
    while (stop < end && !combos[stop]) stop += 1;
    if (stop - at > LONG) {
      nodes.push(...now(from, at + STAYS), " ", gap(stop - at - 2 * STAYS, unfold));
      from = stop - STAYS;
    }
    at = Math.max(stop, at) + 1;
  }
  return [...nodes, ...now(from, end)];
}

/** @param {number} n @param {() => void} unfold */
const gap = (n, unfold) =>
  element(
    "button",
    { type: "button", class: "fold", title: _("Show the whole text"), onclick: unfold },
    several("… {n} word unchanged …", "… {n} words unchanged …", n),
  );
