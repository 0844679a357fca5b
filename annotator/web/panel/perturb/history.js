/** The history of a changed version: each version with what it changed, and what each checker said of it, in order. */
import { _ } from "../words/language.js";
import { when } from "../shared/dialogs.js";
import { element } from "../shared/dom.js";
import { pieceNodes } from "../shared/pieces.js";

const VERDICTS = { approve: _("approved it"), correct: _("corrected it"), reject: _("rejected it") };
const STAYS = 60;
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
  const what = version.is_correction ? _("corrected it") : before ? _("revised it") : _("wrote it");
  const facts = before
    ? [
        version.kind !== before.kind &&
          _("kind: {before} → {after}", { before: kinds.titleOf(before.kind), after: kinds.titleOf(version.kind) }),
        version.result !== before.result &&
          _("label: {before} → {after}", { before: shown(before.result), after: shown(version.result) }),
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
  if (!lines.length) return [element("p", { class: "suggest-words" }, _("The text is still that of the original."))];
  const isNamed = Object.keys(titles).length > 1;
  return lines.map(([name, pieces]) =>
    element(
      "p",
      {
        class: "since",
        dir: direction,
        lang: language,
        "aria-label": _("What was changed in {name}", { name: titles[name] || name }),
      },
      isNamed && element("span", { class: "segment-title" }, `${titles[name] || name} `),
      isGone(pieces) && element("span", { class: "fact" }, `${_("(nothing is left)")} `),
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
      ` ${VERDICTS[check.verdict]}`,
      element("time", {}, when(check.at)),
    ),
    check.reason && element("q", { dir: "auto" }, check.reason),
  );
}

/** @param {string|null} result */
const shown = (result) => (result === null ? _("none") : result || _("no answer"));

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
