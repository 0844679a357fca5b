/**
 * A model's own rationale sets of a text beside people's: the model's in lanes above the words, people's below, the
 * reviewers' three questions as the model answers them, and how the sets overlap.
 */
import { letterOf } from "../shared/annotation.js";
import { div, element, inline, paragraph } from "../shared/dom.js";
import { counted, inPercent } from "../shared/naming.js";
import { combinations, goldBadge, goldRulesOfThemes, lanesOf, lookOf } from "../shared/set_styles.js";
import { _, dotted, together } from "../words/language.js";
import { written } from "./map_numbers.js";

/** @type {Record<string, string>} */
const REMOVALS = { delete: _("deleting"), mask: _("masking"), blank: _("blanking") };
/** From which on two sets are one reason, as in metrics/set_families.py. */
const LEAST_IOU = 0.5;

/** How a set of the model's is called. @param {number} set */
const numberOf = (set) => String(set + 1);

/**
 * The rules that draw the sets of all families of a text.
 * @param {ModelFamilies[]} families
 * @param {number} n  tokens of the text
 */
export function familyRules(families, n) {
  const names = (/** @type {(of: ModelFamilies) => JudgedSet[]} */ of) =>
    families.flatMap((one) => combinations(tokensOf(of(one)), n));
  const looks = { lookAt: lookOf };
  return (
    goldRulesOfThemes(
      names(({ own }) => own.sets),
      lanesOfAll(families, ({ own }) => own.sets),
      { prefix: "fm", isAbove: true, ...looks },
    ) +
    goldRulesOfThemes(
      names(({ people }) => people?.sets ?? []),
      lanesOfAll(families, ({ people }) => people?.sets ?? []),
      { prefix: "fp", ...looks },
    )
  );
}

/** @param {ModelFamilies[]} families @param {(of: ModelFamilies) => JudgedSet[]} of */
const lanesOfAll = (families, of) => Math.max(...families.map((one) => lanesOf(tokensOf(of(one)))));

/** @param {JudgedSet[]} sets */
const tokensOf = (sets) => sets.map(({ tokens }) => tokens);

/**
 * One model's sets of a text.
 * @param {HeatView} view
 * @param {ModelFamilies} families
 * @param {ModelFamilies[]} all  of the text, so that lanes are in line
 */
export function familiesBlock(view, families, all) {
  const { removal, label, is_right: isRight, p, trouble, goes_on: goesOn } = families;
  const mark = isRight === null ? "" : isRight ? "✓ " : "✗ ";
  const head = element(
    "summary",
    {},
    element("b", {}, title(families)),
    inline("families-answer", together(`${mark}${label ?? "–"}`, p !== null && percentOf(p))),
    inline(
      "families-how",
      dotted(removal && _("by {removal}", { removal: REMOVALS[removal] ?? removal }), goesOn && _("continued")),
    ),
  );
  const body = trouble
    ? [paragraph("families-words", together(trouble, thresholdWords(families)))]
    : [laneText(view, families, all), div("families-tables", questions(view, families), overlaps(families))];
  return element("details", { class: "families", open: families === all[0] }, head, ...body);
}

/** Whose sets these are, and who was asked about them. @param {ModelFamilies} families */
function title({ model, sets_of: other, p }) {
  if (!other) return _("{model}: sets that are enough for its answer", { model });
  if (p === null) return _("{model}: sets it gave as its reasons", { model });
  const [asked, quoted] = [model, other].map((name) => name.split(" · ")[0]);
  return asked === quoted
    ? _("{model}, asked about its own sets", { model: asked })
    : _("{model}, asked about the sets of {other}", { model, other: quoted });
}

/** @param {number|null} p */
const percentOf = (p) => (p === null ? "–" : inPercent(Math.round(100 * p)));

/** @param {ModelFamilies} families */
const thresholdWords = ({ threshold, p_empty: empty }) =>
  threshold === null
    ? ""
    : _("Enough: {threshold}. Empty text: {empty}.", { threshold: percentOf(threshold), empty: percentOf(empty) });

/**
 * The words with their lanes.
 * @param {HeatView} view @param {ModelFamilies} families @param {ModelFamilies[]} all
 */
function laneText(view, { own, people }, all) {
  const [above, below] = [own.sets, people?.sets ?? []].map((sets) => combinations(tokensOf(sets), view.n));
  const lines = view.segments.map((segment) => {
    const words = segment.tokens.map((token, place) => {
      const at = segment.first + place;
      const word = element("span", { class: above[at] ? `fm${above[at]}` : "" }, token || "\u00a0");
      return [
        segment.before[place] || null,
        element("span", { class: `t${below[at] ? ` fp${below[at]}` : ""}` }, word),
      ];
    });
    return paragraph(segment.is_selectable ? "" : "asked", ...words.flat(), segment.rest);
  });
  const made = element(
    "div",
    { class: "heat-text families-text", dir: "auto", lang: view.instance.language },
    ...lines,
  );
  made.style.setProperty("--above", String(lanesOfAll(all, (one) => one.own.sets)));
  made.style.setProperty("--below", String(lanesOfAll(all, (one) => one.people?.sets ?? [])));
  return made;
}

/**
 * Each set with what the model answers to it, then both families whole.
 * @param {HeatView} view @param {ModelFamilies} families
 */
function questions(view, families) {
  const { own, people, threshold } = families;
  const head = [_("set"), _("words"), _("sufficient"), _("compact"), _("comprehensive"), _("beside the others")];
  const rows = [
    ...setRows(view, families, own.sets, true),
    familyRow(_("model's, all"), own, threshold),
    ...(people?.sets.length
      ? [...setRows(view, families, people.sets, false), familyRow(_("people's, all"), people, threshold)]
      : []),
  ];
  return div(
    "families-table",
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head.map((words) => element("th", { scope: "col" }, words)))),
      element("tbody", {}, ...rows),
    ),
    paragraph("families-words", together(thresholdWords(families), families.note)),
  );
}

/** @param {HeatView} view @param {ModelFamilies} families @param {JudgedSet[]} sets @param {boolean} isOwn */
function setRows(view, { is_right: isRight, people }, sets, isOwn) {
  const words = view.segments.flatMap(({ tokens }) => tokens);
  return sets.map((one, set) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, isOwn ? modelBadge(set) : goldBadge(set)),
      element("td", { dir: "auto" }, stretches(one.tokens, words)),
      element("td", { title: percentOf(one.p) }, yesNo(one.is_sufficient)),
      element("td", {}, yesNo(one.is_compact)),
      element("td", {}),
      element(
        "td",
        {},
        dotted(people && pileWords(one, isOwn, isRight), one.is_late && _("only without what opposes it")),
      ),
    ),
  );
}

/** @param {string} name @param {SetFamily} family @param {number|null} threshold */
const familyRow = (name, { sets, is_comprehensive: isWhole, p_rest: rest }, threshold) =>
  element(
    "tr",
    { class: "whole" },
    element("th", { scope: "row" }, name),
    element("td", {}, counted(sets.length, "set")),
    element("td", {}),
    element("td", {}),
    element(
      "td",
      { title: _("rest: {p}, enough: {threshold}", { p: percentOf(rest), threshold: percentOf(threshold) }) },
      yesNo(isWhole),
    ),
    element("td", {}),
  );

/** @param {boolean|null} is */
const yesNo = (is) => (is === null ? "–" : is ? _("yes") : _("no"));

/** A set of the model's: its number in its colour. @param {number} set */
const modelBadge = (set) =>
  element(
    "span",
    { class: "badge", style: `--set-light:${lookOf(set, false).color};--set-dark:${lookOf(set, true).color}` },
    numberOf(set),
  );

/**
 * The words of a set; what is left out between them is "…".
 * @param {number[]} tokens @param {string[]} words
 */
const stretches = (tokens, words) =>
  tokens.map((token, at) => `${at && tokens[at - 1] !== token - 1 ? "… " : ""}${words[token]}`).join(" ");

/** @param {JudgedSet} set @param {boolean} isOwn @param {boolean|null} isRight */
function pileWords({ pile, partner }, isOwn, isRight) {
  const other = partner === null ? "" : isOwn ? letterOf(partner) : numberOf(partner);
  switch (pile) {
    case "same":
      return _("same reason as {set}", { set: other });
    case "cores":
      return isOwn ? _("core of {set}", { set: other }) : _("{set} is its core", { set: other });
    case "unmarked":
      return isRight === false ? _("wrong, for its own reason") : _("a reason nobody marked");
    case "needed":
      return _("needed, but not enough");
    case "redundant":
      return _("would do; the model's sets do without");
    case "ignored":
      return _("ignored by the model");
    default:
      return "";
  }
}

/** How each set of the model's overlaps with each of people's. @param {ModelFamilies} families */
function overlaps({ iou, own, people }) {
  if (!people?.sets.length || !own.sets.length) return null;
  const heads = people.sets.map((_set, j) => element("th", { scope: "col" }, goldBadge(j)));
  const rows = iou.map((row, i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, modelBadge(i)),
      ...row.map((value) => element("td", { class: value >= LEAST_IOU ? "same" : "" }, written(value))),
    ),
  );
  return div(
    "families-table",
    element(
      "table",
      { class: "families-iou" },
      element("caption", {}, _("IoU of the model's sets (rows) and people's")),
      element("thead", {}, element("tr", {}, element("td", {}), ...heads)),
      element("tbody", {}, ...rows),
    ),
  );
}
