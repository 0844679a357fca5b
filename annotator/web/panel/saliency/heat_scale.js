/**
 * Heat: orange supports, blue opposes, violet is a weight that does neither; zero is the page's own ground. With what
 * scores mean in words, and the highest of them as bars.
 *
 * Ten steps a side in one sheet, so that a token carries a class and no style of its own. The sheet mixes colours that
 * saliency.css names for each theme, and text keeps its contrast on the strongest of them. Files are drawn in the
 * light theme.
 */
import { element, inline } from "../shared/dom.js";
import { _ } from "../words/language.js";
import { percent, scoredOf, signed, written } from "./map_numbers.js";

/** @typedef {[red: number, green: number, blue: number]} Colour */
/** @typedef {"s"|"o"|"w"} End  supports, opposes, a weight */

/**
 * The ends of the scale in the light theme, as saliency.css has them; they stay apart under simulated colour blindness
 * (Machado 2009).
 */
/** @type {Record<End, Colour>} */
const LIGHT = { s: [0xfd, 0xb8, 0x63], o: [0x92, 0xc5, 0xde], w: [0xc9, 0xb6, 0xea] };
/** @type {Record<End, string>} */
const NAMES = { s: "supports", o: "opposes", w: "weight" };
export const STEPS = 10;

/**
 * Which end a score lies towards: w for a weight, whatever its size.
 * @param {number} part
 * @param {boolean} isSigned
 */
const endOf = (part, isSigned) => (!isSigned ? "w" : part < 0 ? "o" : "s");

/**
 * The colour in the light theme.
 * @param {number} part  -1 to 1
 * @returns {Colour}
 */
export function colourOf(part, isSigned = true) {
  /** @param {number} channel */
  const faded = (channel) => Math.round(255 + (channel - 255) * Math.min(1, Math.abs(part)));
  const [red, green, blue] = LIGHT[endOf(part, isSigned)];
  return [faded(red), faded(green), faded(blue)];
}

/** @param {Colour} rgb */
export const hexOf = (rgb) => `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/**
 * The class of a score on a scale; "" for zero and for what has no score.
 * @param {number|null} score
 * @param {number} scale
 */
export function stepOf(score, scale, isSigned = true) {
  if (score === null || !scale) return "";
  const step = Math.min(STEPS, Math.ceil((Math.abs(score) / scale) * STEPS - 1e-9));
  return step ? `${endOf(score, isSigned)}${step}` : "";
}

/**
 * Whether a score lies beyond the end of a scale that was cut.
 * @param {number} score
 * @param {number} scale
 */
export const isBeyond = (score, scale) => Math.abs(score) > scale * (1 + 1e-9);

/** The sheet of all steps. */
export function heatRules() {
  const rules = [];
  for (const [end, name] of Object.entries(NAMES)) {
    for (let step = 1; step <= STEPS; step += 1) {
      rules.push(
        `.${end}${step}{background-color:color-mix(in srgb,var(--heat-${name}) ${(100 * step) / STEPS}%,var(--heat-zero))}`,
      );
    }
  }
  return rules.join("");
}

/**
 * The number at the ends of a map's scale: of its words, and of the coloured subwords of the answer.
 * @param {Pick<HeatPanel, "scores"|"method"|"earlier">[]} panels
 * @param {"own"|"method"} scope  each map by itself, or all maps of one method together (their units are the same)
 */
export function scalesOf(panels, scope, { clip = false } = {}) {
  const own = panels.map((panel) => highest([...(panel.scores ?? []), ...(panel.earlier ?? [])], clip));
  if (scope === "own") return own;
  return panels.map((panel, place) =>
    Math.max(...own.filter((_, other) => other === place || panels[other].method === panel.method)),
  );
}

/** @param {(number|null)[]} scores @param {boolean} clip */
function highest(scores, clip) {
  const sizes = scores
    .filter((score) => score !== null)
    .map(Math.abs)
    .sort((a, b) => a - b);
  if (!sizes.length) return 0;
  return clip
    ? sizes[Math.min(sizes.length - 1, Math.floor(0.98 * sizes.length))] || sizes[sizes.length - 1]
    : sizes[sizes.length - 1];
}

// ---- What the scores mean, in words: whether they have signs, and which label they belong to

const OF_NO_LABEL = () => _("weight; belongs to no label");

/**
 * What scores mean, in words. head: in the head of the map; legend: beside the colours; number: a score alone; said: a
 * score in a sentence of its own.
 * @typedef {{head: string, legend: string, number: (score: number) => string, said: (score: number) => string}} Meaning
 */

/**
 * The label is that of the attribution alone: what the model answers is not what a score without a label explains.
 * @param {{is_signed: boolean, label: string, answer: {label: string}|null}} panel
 * @returns {Meaning}
 */
export function meaningOf({ is_signed: isSigned, label, answer }) {
  if (!isSigned) return weightOf(label);
  // A reading model explains its own answer, and that may be that there is none.
  const of = label ? `“${label}”` : answer?.label === "" ? `“${_("no answer")}”` : "";
  return {
    head: of ? _("for {label}", { label: of }) : _("label not named"),
    legend: of ? _("− opposes, + supports {label}", { label: of }) : _("− opposes, + supports an unnamed label"),
    number: signed,
    said: (score) => (of ? _("{score} for {label}", { score: signed(score), label: of }) : signed(score)),
  };
}

/** @param {string} label @returns {Meaning} */
function weightOf(label) {
  const head = label ? _("weight for “{label}”, unsigned", { label }) : OF_NO_LABEL();
  return {
    head,
    legend: head,
    number: written,
    said: (score) =>
      label
        ? _("weight {score} for “{label}”", { score: written(score), label })
        : _("weight {score}; belongs to no label", { score: written(score) }),
  };
}

// ---- The highest scores as bars, and the model's subwords as chips

const BARS = 15;

/** @param {Pick<SaliencyMap, "panel"|"scale"|"tokens"|"meaning">} map */
export function barsOf({ panel, scale, tokens, meaning }) {
  const list = scoredOf(panel).sort((a, b) => Math.abs(b.score) - Math.abs(a.score) || a.token - b.token);
  return list.slice(0, BARS).map(({ score, token }) => {
    const part = scale ? (panel.is_signed ? 50 : 100) * Math.min(1, Math.abs(score) / scale) : 0;
    return element(
      "div",
      { class: "bar-row", "data-token": token },
      inline("bar-word", tokens[token].textContent),
      inline(
        "bar-track",
        element("span", {
          class: `bar-fill ${!panel.is_signed ? "weight" : score < 0 ? "against" : "for"}`,
          style: `width:${scale ? part.toFixed(1) : 0}%`,
        }),
      ),
      inline("bar-number", meaning.number(score)),
    );
  });
}

/** @param {Pick<SaliencyMap, "panel"|"meaning">} map */
export function subwordsOf({ panel: { subwords }, meaning }) {
  if (!subwords) return [element("p", {}, _("No subwords: the source has one score per word."))];
  const special = subwords.filter((subword) => subword[3]).reduce((sum, subword) => sum + Math.abs(subword[5]), 0);
  const all = subwords.reduce((sum, subword) => sum + Math.abs(subword[5]), 0);
  return [
    ...subwords.map(([text, , , isSpecial, , score]) =>
      inline(`piece ${isSpecial ? "special" : ""}`, text || "∅", element("small", {}, meaning.number(score))),
    ),
    element("p", {}, _("{share} of all |score| lies on special tokens.", { share: percent(all ? special / all : 0) })),
  ];
}
