/**
 * Numbers of a map: how they are written, which tokens are the top k and how they fit the gold sets, what the method
 * says of its own scores, and what has to be known before the map is read.
 */
import { counted, inPercent } from "../shared/naming.js";
import { _ } from "../words/language.js";

// ---- How numbers are written, as by annotator/domain/numbers.py. Counts are not written here

const UNDEFINED = "–";
/** What remains of a zero that was added up. */
const NOISE = 1e-12;
const SMALLEST_WITH_DECIMALS = 1e-4;

/**
 * As many digits as its size asks for: three, of small numbers two beyond the zeros; no minus before a zero; a dash for
 * none.
 * @param {number|null|undefined} value
 */
export function written(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return UNDEFINED;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size < NOISE) return "0";
  if (size < SMALLEST_WITH_DECIMALS) return value.toExponential(1).replaceAll("-", "−");
  const decimals = decimalsOf(size);
  return value
    .toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replace("-", "−");
}

/**
 * Three digits in all; below 1 three decimals, or as many as show two digits.
 * @param {number} size
 */
function decimalsOf(size) {
  const first = Math.floor(Math.log10(Number(size.toPrecision(size >= 0.1 ? 3 : 2))));
  return first < 0 ? Math.max(3, 1 - first) : Math.max(0, 2 - first);
}

/**
 * A number that may be on either side of zero, with its sign.
 * @param {number} value
 */
export function signed(value) {
  const text = written(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/**
 * A share between 0 and 1.
 * @param {number|null|undefined} share
 */
export const percent = (share) =>
  share === null || share === undefined ? UNDEFINED : inPercent((Math.round(1000 * share) / 10 + 0).toFixed(1));

/**
 * A number of a map: `detail` of this value alone; `badge`: of the set that it is about.
 * @typedef {{title: string, value: string, words: string, detail?: string, badge?: Node,
 *   badgeWords?: string}} NumberRow
 */

/**
 * k of each side for a share of its tokens: ceil(share × n), without the error of the binary form.
 * @param {{n: number}[]} sides
 * @param {number[]} shares
 */
export function countsOf(sides, shares) {
  return sides.map(({ n }, side) => Math.min(n, Math.max(0, Math.ceil(Number((n * shares[side]).toPrecision(12))))));
}

/**
 * Whether scores order nothing: all of them are equal, and the source gives no ranking of its own.
 * @param {Pick<HeatPanel, "scores"|"ranking">} panel
 */
export function hasNoOrder(panel) {
  const scored = scoredOf(panel);
  return !panel.ranking && scored.length > 1 && scored.every(({ score }) => score === scored[0].score);
}

/**
 * Token indices by importance: the source's own ranking, else by falling score, equal ones by position; none of a map
 * whose scores are all equal.
 * @param {Pick<HeatPanel, "scores"|"ranking"|"spans">} panel
 */
export function orderOf(panel) {
  if (panel.ranking) return panel.ranking;
  if (!panel.scores)
    return (panel.spans || []).flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));
  if (hasNoOrder(panel)) return [];
  return scoredOf(panel)
    .sort((a, b) => b.score - a.score || a.token - b.token)
    .map(({ token }) => token);
}

/**
 * The tokens that have a score.
 * @param {Pick<HeatPanel, "scores">} panel
 */
export const scoredOf = ({ scores }) =>
  (scores ?? []).flatMap((score, token) => (score === null ? [] : [{ score, token }]));

/**
 * The tokens that are selected: all of a hard rationale, else the first k of each side. `order` is orderOf(panel).
 * @param {Pick<HeatPanel, "spans">} panel
 * @param {{n: number}[]} sides
 * @param {number[]} counts
 * @param {number[]} order
 */
export function selectedOf(panel, sides, counts, order) {
  if (panel.spans) return new Set(order);
  /** @type {Set<number>} */
  const selected = new Set();
  let first = 0;
  sides.forEach(({ n }, side) => {
    let left = counts[side];
    for (const token of order) {
      if (!left) break;
      if (token < first || token >= first + n) continue;
      selected.add(token);
      left -= 1;
    }
    first += n;
  });
  return selected;
}

/**
 * How many tokens were left out although a selected one of their side has the same score.
 * @param {Pick<HeatPanel, "scores"|"ranking">} panel
 * @param {{n: number}[]} sides
 * @param {Set<number>} selected
 */
export function tiesOf(panel, sides, selected) {
  const { scores } = panel;
  if (!scores || panel.ranking) return 0;
  let first = 0;
  let ties = 0;
  for (const { n } of sides) {
    let lowest = Infinity;
    for (const token of selected)
      if (token >= first && token < first + n) lowest = Math.min(lowest, scores[token] ?? Infinity);
    for (let token = first; token < first + n; token += 1)
      if (scores[token] === lowest && !selected.has(token)) ties += 1;
    first += n;
  }
  return ties;
}

/**
 * F1 and IoU of the gold set that fits best (the first of equals), and the shares of sets and tokens that were found.
 * @param {Set<number>} selected
 * @param {number[][]} gold
 */
export function fitOf(selected, gold) {
  /** @type {{set: number, f1: number|null, iou: number|null, hits: number}} */
  let best = { set: -1, f1: null, iou: null, hits: 0 };
  let whole = 0;
  /** @type {Set<number>} */
  const union = new Set();
  gold.forEach((tokens, set) => {
    const hits = tokens.filter((token) => selected.has(token)).length;
    const f1 = (2 * hits) / (tokens.length + selected.size || 1);
    if (best.f1 === null || f1 > best.f1)
      best = { set, f1, iou: hits / (tokens.length + selected.size - hits || 1), hits };
    if (hits === tokens.length) whole += 1;
    for (const token of tokens) union.add(token);
  });
  const found = [...union].filter((token) => selected.has(token)).length;
  return {
    ...best,
    recall: gold.length ? whole / gold.length : null,
    coverage: union.size ? found / union.size : null,
  };
}

/**
 * The rank of each token, from 1; tokens that are not ranked have none.
 * @param {number[]} order
 */
export const ranksOf = (order) => new Map(order.map((token, place) => [token, place + 1]));

/**
 * MAP between two rankings of strings, depth by depth: (number of Q_j in O[:i]) / i for each i.
 * @param {string[]} original
 * @param {string[]} perturbed
 */
export function depthsOf(original, perturbed) {
  /** @type {number[]} */
  const depths = [];
  if (!original.length) return { depths, map: null };
  for (let depth = 1; depth <= perturbed.length; depth += 1) {
    const known = new Set(original.slice(0, depth));
    depths.push(perturbed.slice(0, depth).filter((token) => known.has(token)).length / depth);
  }
  const map = depths.length ? depths.reduce((sum, depth) => sum + depth, 0) / depths.length : null;
  return { depths, map };
}

/**
 * What the method says of its own scores: how well they fit, converge, and hold over seeds. detail: of this value
 * alone.
 * @param {Pick<HeatPanel, "facts"|"spread"|"convergence">} given
 */
export function factsOf({ facts, spread, convergence }) {
  /** @type {(NumberRow|null|false)[]} */
  const rows = [
    "r2" in facts && { title: "R²", value: written(facts.r2), words: _("fit (R²) of LIME's linear model; 1 is best") },
    spread && {
      title: _("Spread over seeds"),
      value: spread.share === null ? written(spread.value) : percent(spread.share),
      detail: _("a standard deviation of {value} over {seeds}", {
        value: written(spread.value),
        seeds: counted(spread.n_seeds, "seed"),
      }),
      words: _("mean over words of the std over seeds / mean |score|; lower is better"),
    },
    ...convergenceOf(facts, convergence),
    "special_share" in facts && {
      title: _("On special tokens"),
      value: percent(facts.special_share),
      words: _("share of all |score| on special tokens ([CLS], [SEP] …)"),
    },
    "prompt_share" in facts && {
      title: _("On the prompt"),
      value: percent(facts.prompt_share),
      words: _("share of all |score| on the prompt around the text"),
    },
    "earlier_share" in facts && {
      title: _("On the generated text"),
      value: percent(facts.earlier_share),
      words: _("share of all |score| on earlier generated subwords"),
    },
    "shared_tokens" in facts &&
      facts.shared_tokens > 0 && {
        title: _("Shared with neighbours"),
        value: String(facts.shared_tokens),
        words: _("tokens sharing a score with neighbours because evaluations ran out; allow more"),
      },
    "unseen_tokens" in facts && {
      title: _("Not seen"),
      value: String(facts.unseen_tokens),
      words: _("tokens in italics, beyond the model's length limit"),
    },
  ];
  return rows.filter((row) => !!row);
}

/**
 * How far the scores together are from what they explain: as a share of it where that is known, else as a number.
 * @param {HeatPanel["facts"]} facts
 * @param {number|null} convergence
 */
function convergenceOf(facts, convergence) {
  if ("convergence_share" in facts) {
    return [
      {
        title: _("Convergence delta, relative"),
        value: percent(facts.convergence_share),
        detail: _("the scores miss F(x) − F(baseline) = {change} by {difference}", {
          change: written(facts.output_change),
          difference: written(convergence),
        }),
        words: _("|Σ scores − (F(x) − F(baseline))| as a share of F(x) − F(baseline)"),
      },
    ];
  }
  if (convergence === null) return [];
  if ("absorbed_share" in facts) {
    return [
      {
        title: _("Absorbed relevance"),
        value: percent(facts.absorbed_share),
        detail: _("of {full}, the scores share out {sum}", {
          full: written(facts.full),
          sum: written(facts.full + convergence),
        }),
        words: _("share of the explained value kept by biases, position embeddings and softmax"),
      },
    ];
  }
  return [
    {
      title: _("Convergence delta"),
      value: written(convergence),
      words: _("distance of the summed scores from what they explain; 0 is best"),
    },
  ];
}

// ---- What has to be known before a map is read, in the sentences of its head

/** Where scores miss more of what they explain, the integral was cut too coarsely (scoring/chance_verdicts.py). */
const MOST_SHARE = 0.05;

/** @typedef {{words: string, short: string}} Remark  short: where there is room for a few words */

/** @param {Pick<HeatPanel, "scores"|"ranking"|"facts">} panel @returns {Remark[]} */
export function remarksOf(panel) {
  const { convergence_share: share = 0 } = panel.facts;
  const remarks = [];
  if (hasNoOrder(panel))
    remarks.push({ words: _("All scores are equal, so there is no top k."), short: _("all scores are equal") });
  if (share > MOST_SHARE)
    remarks.push({
      words: _("Not converged: the scores miss {share} of the change. Use more steps or another baseline.", {
        share: percent(share),
      }),
      short: _("did not converge ({share})", { share: percent(share) }),
    });
  return remarks;
}
