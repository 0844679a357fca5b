/** What has to be known before a map is read, in sentences that stand in its head. */
import { _ } from "../words/language.js";
import { hasNoOrder } from "./numbers.js";
import { percent } from "./written_numbers.js";

/** Where scores miss more of what they explain, the integral was cut too coarsely (scoring/chance_verdicts.py). */
const MOST_SHARE = 0.05;

/** @typedef {{words: string, short: string}} Remark  short: where there is room for a few words */

/** @param {Pick<HeatPanel, "scores"|"ranking"|"facts">} panel @returns {Remark[]} */
export function remarksOf(panel) {
  const { convergence_share: share = 0 } = panel.facts;
  const remarks = [];
  if (hasNoOrder(panel))
    remarks.push({
      words: _("All scores are equal: no order, so no word is in the top k."),
      short: _("all scores are equal"),
    });
  if (share > MOST_SHARE)
    remarks.push({
      words: _(
        "Did not converge: the scores together miss {share} of the change that they explain. Take more steps or another baseline.",
        { share: percent(share) },
      ),
      short: _("did not converge ({share})", { share: percent(share) }),
    });
  return remarks;
}
