/** The rows of the table of numbers that one map has. */
import { _ } from "../words/language.js";
import { goldBadge } from "../shared/gold_underlines.js";
import { letterOf } from "../shared/model.js";
import { factsOf, fitOf, tiesOf } from "./numbers.js";
import { rowsOfPeople } from "./people.js";
import { written } from "./written_numbers.js";

/** @typedef {import("./numbers.js").NumberRow} NumberRow */

/** @type {Record<string, [title: string, words: string]>} */
const NAMES = {
  "editing.average_precision": ["AP", _("average precision of the ranking against the best gold set")],
  "editing.mrr": [
    "MRR",
    _("1 / the mean rank of a set's tokens, each removed once it is found; for the best gold set"),
  ],
  "er_test.order": [_("Order loss"), _("0 when every token of the best gold set ranks above all others")],
  "method.sufficiency": [_("Sufficiency"), _("p(full text) − p(rationale alone); lower is better")],
  "method.comprehensiveness": [
    _("Comprehensiveness"),
    _("p(full text) − p(text without the rationale); higher is better"),
  ],
  "benchmark.map": ["MAP", _("agreement with the original's ranking, token by token as text")],
  "benchmark.map_aligned": [_("MAP, aligned"), _("agreement with the original's ranking, token by token in place")],
};

/**
 * @param {Pick<import("./map.js").SaliencyMap, "panel"|"view"|"selected"|"isUnranked">} map  after it is painted
 * @returns {NumberRow[]}
 */
export function rowsOf({ panel, view, selected, isUnranked }) {
  if (panel.run === null) return [];
  const ties = tiesOf(panel, view.sides, selected);
  return [
    ...(view.people ? rowsOfPeople({ view, selected, isUnranked }) : []),
    ...(view.people || isTyped(view) ? [] : rowsOfGold({ view, selected, isUnranked })),
    ...Object.entries(NAMES)
      .filter(([name]) => name in panel.numbers)
      .map(([name, [title, words]]) => ({ title, value: written(panel.numbers[name]), words })),
    ...factsOf(panel),
    ...(ties > 0
      ? [
          {
            title: _("Ties at k"),
            value: String(ties),
            words: _(
              "tokens that were left out although their score equals one in the top k; the first by position were taken",
            ),
          },
        ]
      : []),
  ];
}

/** A text that nobody has stored has no gold. @param {{instance: {id: number}}} view */
const isTyped = ({ instance }) => instance.id === 0;

/**
 * How well the top k fits the gold sets.
 * @param {Pick<import("./map.js").SaliencyMap, "view"|"selected"|"isUnranked">} map
 * @returns {NumberRow[]}
 */
function rowsOfGold({ view, selected, isUnranked }) {
  const fit = fitOf(selected, isUnranked ? [] : view.gold);
  return [
    {
      title: _("Token F1"),
      value: written(fit.f1),
      words: _("2 · |top k ∩ set| / (|top k| + |set|) of the gold set that fits best, whose letter stands beside it"),
      ...(fit.f1 === null
        ? {}
        : { badge: goldBadge(fit.set), badgeWords: _("set {letter}", { letter: letterOf(fit.set) }) }),
    },
    { title: "IoU", value: written(fit.iou), words: _("|top k ∩ set| / |top k ∪ set| of the same set") },
    {
      title: _("Sets found"),
      value: written(fit.recall),
      words: _("share of the gold sets whose tokens are all among the top k"),
    },
    {
      title: _("Coverage"),
      value: written(fit.coverage),
      words: _("share of the tokens of all gold sets that are among the top k"),
    },
  ];
}
