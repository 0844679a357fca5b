/**
 * Numbers of a panel: which tokens are the top k and how they fit the gold sets, and what the method says of its own
 * scores.
 */
import { percent, written } from "./written_numbers.js";
import { counted } from "../shared/spoken.js";

/** k of each side for a share of its tokens: ceil(share × n), without the error of the binary form. */
export function countsOf(sides, shares) {
  return sides.map(({ n }, side) => Math.min(n, Math.max(0, Math.ceil(Number((n * shares[side]).toPrecision(12))))));
}

/**
 * Token indices by importance: the source's own ranking, else by falling score, equal ones by position.
 * @param {{scores: ?Array<?number>, ranking: ?number[], spans: ?number[][]}} panel
 */
export function orderOf(panel) {
  if (panel.ranking) return panel.ranking;
  if (!panel.scores)
    return (panel.spans || []).flatMap(([start, end]) => Array.from({ length: end - start }, (_, i) => start + i));
  const scored = panel.scores.map((score, token) => [score, token]).filter(([score]) => score !== null);
  return scored.sort((a, b) => b[0] - a[0] || a[1] - b[1]).map(([, token]) => token);
}

/** The tokens that are selected: all of a hard rationale, else the first k of each side. `order` is orderOf(panel). */
export function selectedOf(panel, sides, counts, order) {
  if (panel.spans) return new Set(order);
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

/** How many tokens were left out although a selected one of their side has the same score. */
export function tiesOf(panel, sides, selected) {
  if (!panel.scores || panel.ranking) return 0;
  let first = 0;
  let ties = 0;
  for (const { n } of sides) {
    let lowest = Infinity;
    for (const token of selected)
      if (token >= first && token < first + n) lowest = Math.min(lowest, panel.scores[token]);
    for (let token = first; token < first + n; token += 1)
      if (panel.scores[token] === lowest && !selected.has(token)) ties += 1;
    first += n;
  }
  return ties;
}

/**
 * F1 and IoU of the gold set that fits best (the first of equals), and the shares of sets and tokens that were found.
 */
export function fitOf(selected, gold) {
  let best = { set: -1, f1: null, iou: null, hits: 0 };
  let whole = 0;
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

/** The rank of each token, from 1; tokens that are not ranked have none. */
export const ranksOf = (order) => new Map(order.map((token, place) => [token, place + 1]));

/** MAP between two rankings of strings, depth by depth: (number of Q_j in O[:i]) / i for each i. */
export function depthsOf(original, perturbed) {
  const depths = [];
  for (let depth = 1; depth <= perturbed.length; depth += 1) {
    const known = new Set(original.slice(0, depth));
    depths.push(perturbed.slice(0, depth).filter((token) => known.has(token)).length / depth);
  }
  const map = depths.length && original.length ? depths.reduce((sum, depth) => sum + depth, 0) / depths.length : null;
  return { depths, map };
}

/**
 * What the method says of its own scores: how well they fit, converge, and hold over seeds. detail: of this value
 * alone.
 */
export function factsOf({ facts = {}, spread, convergence }) {
  return [
    "r2" in facts && {
      title: "R²",
      value: written(facts.r2),
      words: "how well LIME's linear model fits the model's answers to its samples; 1 is best",
    },
    spread && {
      title: "Spread over seeds",
      value: spread.share === null ? written(spread.value) : percent(spread.share),
      detail: `a standard deviation of ${written(spread.value)} over ${counted(spread.n_seeds, "seed")}`,
      words:
        "standard deviation over the seeds, mean over the words, as a share of the mean size of a score; lower is better",
    },
    ...convergenceOf(facts, convergence),
    "special_share" in facts && {
      title: "On special pieces",
      value: percent(facts.special_share),
      words: "share of all |score| that lies on [CLS], [SEP] and their like, which belong to no word",
    },
    "unseen_tokens" in facts && {
      title: "Not seen",
      value: String(facts.unseen_tokens),
      words: "tokens in italics, which the model did not see because the text is too long for it",
    },
  ].filter(Boolean);
}

/** How far the scores together are from what they explain: as a share of it where that is known, else as a number. */
function convergenceOf(facts, convergence) {
  if ("convergence_share" in facts) {
    return [
      {
        title: "Convergence delta, relative",
        value: percent(facts.convergence_share),
        detail: `the scores miss F(x) − F(baseline) = ${written(facts.output_change)} by ${written(convergence)}`,
        words:
          "how far all scores together are from F(x) − F(baseline), as a share of it; above 5 %, take more steps or another baseline",
      },
    ];
  }
  if (convergence === null || convergence === undefined) return [];
  return [
    {
      title: "Convergence delta",
      value: written(convergence),
      words: "how far all scores together are from what they explain, as the source says; 0 is best",
    },
  ];
}
