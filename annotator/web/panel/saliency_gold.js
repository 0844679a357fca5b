/** Gold sets as stacked underlines over the heat: a channel that the heat does not use. One rule for each combination of sets. */
import { lookOf } from "./palette.js";

const LANE = 4;
const FIRST = 1;
const MOST_LANES = 6;

/** How many lanes the text needs room for. */
export const lanesOf = (gold) => Math.max(1, Math.min(MOST_LANES, gold.length));

/** The combination of sets that each token is in: "" for none, else their numbers with dashes, such as "0-2". */
export function combinations(gold, n) {
  const sets = Array.from({ length: n }, () => []);
  gold.forEach((tokens, set) => {
    for (const token of tokens) if (token < n) sets[token].push(set);
  });
  return sets.map((of) => of.join("-"));
}

/** The rules of all combinations that are met. Colours are those of the light theme, since the heat's paper is white. */
export function goldRules(names, lanes) {
  return [...new Set(names)].filter(Boolean).map((name) => {
    const sets = name.split("-").map(Number);
    const images = sets.map((set) => line(lookOf(set, false)));
    const places = sets.map((set) => `0 calc(100% - ${FIRST + (lanes - 1 - (set % lanes)) * LANE}px)`);
    return `.g${name}{background-image:${images.join(",")};background-size:${sets.map(() => "100% 3px").join(",")};`
      + `background-position:${places.join(",")};background-repeat:repeat-x}`;
  }).join("");
}

const PATTERNS = {
  solid: (color) => `linear-gradient(${color} 0 3px,transparent 3px)`,
  dashed: (color) => `repeating-linear-gradient(90deg,${color} 0 6px,transparent 6px 9px)`,
  dotted: (color) => `repeating-linear-gradient(90deg,${color} 0 3px,transparent 3px 5px)`,
  double: (color) => `linear-gradient(${color} 0 1px,transparent 1px 2px,${color} 2px 3px)`,
  wavy: (color) => `repeating-linear-gradient(115deg,${color} 0 3px,transparent 3px 6px)`,
};

function line({ color, style }) {
  return (PATTERNS[style] || PATTERNS.solid)(color);
}
