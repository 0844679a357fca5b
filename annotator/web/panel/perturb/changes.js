/** What was changed: a text with its changes as nodes, and the history of a changed version. */
import { element, inline, paragraph, pressable } from "../shared/dom.js";
import { when } from "../shared/naming.js";
import { combinations, goldRules, lanesOf, lookOf } from "../shared/set_styles.js";
import { pieceNodes } from "../shared/text_drawing.js";
import { _, several } from "../words/language.js";

// ---- A text as nodes: tokens in sets as stacked underlines, neighbours that look alike in one element

/**
 * The combination of sets that each token is in, by the numbers of the original's sets.
 * @param {number[][]} sets
 * @param {number} n
 * @param {number[]|null} [origins]
 */
export function combosOf(sets, n, origins = null) {
  if (!origins) return combinations(sets, n);
  /** @type {number[][]} */
  const byOrigin = [];
  origins.forEach((origin, place) => {
    byOrigin[origin] = sets[place];
  });
  return combinations(
    Array.from(byOrigin, (tokens) => tokens || []),
    n,
  );
}

/**
 * The rules of all underlines on screen: the original's sets in their own styles, proposals dashed.
 * @param {string[]} gold  the combination of sets of each token
 * @param {string[]} proposed
 * @param {number} nSets
 * @param {{dark: boolean, lit: number|null}} look  lit: the only set that is shown while its chip is pointed at
 */
export function setRules(gold, proposed, nSets, { dark, lit }) {
  /** @param {number} set */
  const isLit = (set) => lit === null || lit === set;
  /** @param {string|null} style @returns {(set: number) => import("../shared/set_styles.js").UnderlineLook} */
  const lookAt = (style) => (set) => {
    const look = lookOf(set, dark, nSets);
    return { ...look, style: style || look.style, set, color: isLit(set) ? look.color : "transparent" };
  };
  const lanes = lanesOf(Array.from({ length: nSets }, () => []));
  return (
    goldRules(gold, lanes, { lookAt: lookAt(null) }) +
    goldRules(proposed, lanes, { prefix: "p", lookAt: lookAt("proposed") })
  );
}

/**
 * Tokens from one to another (places in the segment) as nodes; white space between two that look alike goes with them.
 * @param {Pick<CutSegment, "before"|"tokens"|"first">} segment
 * @param {number} from
 * @param {number} to
 * @param {(token: number) => string} classOf  by the token's number in the instance
 */
function nodesOf(segment, from, to, classOf) {
  /** @type {{name: string, text: string}[]} */
  const nodes = [];
  /** @type {{name: string, text: string}|null} */
  let open = null;
  for (let at = from; at < to; at += 1) {
    const name = classOf(segment.first + at);
    if (open && open.name === name) open.text += segment.before[at] + segment.tokens[at];
    else {
      if (segment.before[at]) nodes.push({ name: "", text: segment.before[at] });
      nodes.push((open = { name, text: segment.tokens[at] }));
    }
  }
  return nodes.map(({ name, text }) => (name ? inline(`u ${name}`, text) : text));
}

/**
 * A whole segment, with what follows its last token.
 * @param {CutSegment} segment
 * @param {string[]} combos
 * @param {string} prefix
 */
export function segmentNodes(segment, combos, prefix) {
  /** @param {number} token */
  const classOf = (token) => (combos[token] ? prefix + combos[token] : "");
  return [...nodesOf(segment, 0, segment.tokens.length, classOf), segment.rest];
}

// ---- A changed text as one: what was deleted struck through, what was put in framed, proposed sets dashed

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
  pressable(
    "fold",
    { title: _("Show the whole text"), onclick: unfold },
    several("… {n} word unchanged …", "… {n} words unchanged …", n),
  );

// ---- The history of a changed version: what each version changed, and what each checker said of it

const VERDICTS = { approve: _("approved it"), correct: _("corrected it"), reject: _("rejected it") };
const STAYS_BESIDE = 60;
const SOMEBODY = _("Somebody");

/** @typedef {{titleOf: (kind: string) => string}} Titles  of kinds */

/**
 * @param {Perturbation} one
 * @param {Titles} kinds
 */
export function historyOf(one, kinds) {
  const lines = one.versions.flatMap((version, place) => {
    const before = one.versions[place - 1];
    const checks = one.checks.filter((check) => check.version === version.number);
    return [
      versionLine(version, before, kinds, one),
      ...checks
        .filter(({ verdict }) => verdict !== "correct")
        .map((check) => entry(check, VERDICTS[check.verdict], check.verdict)),
    ];
  });
  return element("ol", { class: "history" }, ...lines);
}

/**
 * @param {AuthoredVersion} version
 * @param {AuthoredVersion|undefined} before
 * @param {Titles} kinds
 * @param {Perturbation} one
 */
function versionLine(version, before, kinds, one) {
  const what = version.is_correction ? _("corrected it") : before ? _("revised it") : _("wrote it");
  const facts = before
    ? [
        version.kind !== before.kind &&
          _("type: {before} → {after}", { before: kinds.titleOf(before.kind), after: kinds.titleOf(version.kind) }),
        version.result !== before.result &&
          _("label: {before} → {after}", { before: shown(before.result), after: shown(version.result) }),
      ]
    : [];
  return entry(
    version,
    what,
    "",
    ...facts.filter(Boolean).map((fact) => inline("fact", fact)),
    ...Object.entries(version.since).map(([name, pieces]) =>
      element(
        "p",
        { class: "since", dir: one.direction, lang: one.language, "aria-label": _("What changed in {name}", { name }) },
        ...pieceNodes(pieces, around),
      ),
    ),
  );
}

/**
 * What a version has otherwise than its original: a line for each segment that was changed.
 * @param {Changes} one
 * @param {Record<string, string>} titles  of segments
 */
export function changesOf({ changes, direction, language }, titles) {
  const lines = Object.entries(changes);
  if (!lines.length) return [paragraph("suggest-words", _("The text is unchanged."))];
  const isNamed = Object.keys(titles).length > 1;
  return lines.map(([name, pieces]) =>
    element(
      "p",
      {
        class: "since",
        dir: direction,
        lang: language,
        "aria-label": _("What changed in {name}", { name: titles[name] || name }),
      },
      isNamed && inline("segment-title", `${titles[name] || name} `),
      isGone(pieces) && inline("fact", `${_("(nothing is left)")} `),
      ...pieceNodes(pieces, around),
    ),
  );
}

/** @param {Piece[]} pieces */
const isGone = (pieces) => pieces.every(([, , after]) => !after.trim());

/**
 * Who did what, when, and why; whoever is not named (the author, to those who check) is somebody.
 * @param {{by: string|null, at: string, reason: string}} given
 * @param {string} what
 * @param {string} className
 * @param {...Child} more
 */
const entry = ({ by, at, reason }, what, className, ...more) =>
  element(
    "li",
    { class: className },
    inline("who", element("b", {}, by ?? SOMEBODY), ` ${what}`, element("time", {}, when(at))),
    reason && element("q", { dir: "auto" }, reason),
    ...more,
  );

/** @param {string|null} result */
const shown = (result) => (result === null ? _("none") : result || _("no answer"));

/**
 * Of what stayed only what is next to a change.
 * @param {string} text
 * @param {boolean} isFirst
 * @param {boolean} isLast
 */
function around(text, isFirst, isLast) {
  if (text.length <= 3 * STAYS_BESIDE) return text;
  return `${isFirst ? "" : text.slice(0, STAYS_BESIDE)} … ${isLast ? "" : text.slice(-STAYS_BESIDE)}`;
}
