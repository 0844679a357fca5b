/** The history of a changed version: each version with what it changed, and what each checker said of it, in order. */
import { when } from "../shared/dialogs.js";
import { element } from "../shared/dom.js";
import { pieceNodes } from "../shared/pieces.js";

const VERDICTS = { approve: "approved", correct: "corrected", reject: "rejected" };
const STAYS = 60;
const SOMEBODY = "Somebody";

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
      ...checks.filter(({ verdict }) => verdict !== "correct").map(checkLine),
    ];
  });
  return element("ol", { class: "history" }, ...lines);
}

/**
 * Whoever is not named (the author, to those who check) is somebody.
 * @param {AuthoredVersion} version
 * @param {AuthoredVersion|undefined} before
 * @param {Titles} kinds
 * @param {Perturbation} one
 */
function versionLine(version, before, kinds, one) {
  const what = version.is_correction ? "corrected it" : before ? "revised it" : "wrote it";
  const facts = before
    ? [
        version.kind !== before.kind && `kind: ${kinds.titleOf(before.kind)} → ${kinds.titleOf(version.kind)}`,
        version.result !== before.result && `label: ${shown(before.result)} → ${shown(version.result)}`,
      ]
    : [];
  return element(
    "li",
    {},
    element(
      "span",
      { class: "who" },
      element("b", {}, version.by ?? SOMEBODY),
      ` ${what}`,
      element("time", {}, when(version.at)),
    ),
    version.reason && element("q", { dir: "auto" }, version.reason),
    ...facts.filter(Boolean).map((fact) => element("span", { class: "fact" }, fact)),
    ...Object.entries(version.since).map(([name, pieces]) =>
      element(
        "p",
        { class: "since", dir: one.direction, lang: one.language, "aria-label": `What changed in ${name}` },
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
  if (!lines.length) return [element("p", { class: "suggest-words" }, "The text is still that of the original.")];
  const isNamed = Object.keys(titles).length > 1;
  return lines.map(([name, pieces]) =>
    element(
      "p",
      { class: "since", dir: direction, lang: language, "aria-label": `What was changed in ${titles[name] || name}` },
      isNamed && element("span", { class: "segment-title" }, `${titles[name] || name} `),
      isGone(pieces) && element("span", { class: "fact" }, "(nothing is left) "),
      ...pieceNodes(pieces, around),
    ),
  );
}

/** @param {Piece[]} pieces */
const isGone = (pieces) => pieces.every(([, , after]) => !after.trim());

/** @param {VersionCheck} check */
function checkLine(check) {
  return element(
    "li",
    { class: check.verdict },
    element(
      "span",
      { class: "who" },
      element("b", {}, check.by ?? SOMEBODY),
      ` ${VERDICTS[check.verdict]} it`,
      element("time", {}, when(check.at)),
    ),
    check.reason && element("q", { dir: "auto" }, check.reason),
  );
}

/** @param {string|null} result */
const shown = (result) => (result === null ? "none" : result || "no answer");

/**
 * Of what stayed only what is next to a change.
 * @param {string} text
 * @param {boolean} isFirst
 * @param {boolean} isLast
 */
function around(text, isFirst, isLast) {
  if (text.length <= 3 * STAYS) return text;
  return `${isFirst ? "" : text.slice(0, STAYS)} … ${isLast ? "" : text.slice(-STAYS)}`;
}
