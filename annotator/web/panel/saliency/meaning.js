/** What the scores of a map mean, in words: whether they have signs, and which label they belong to. */
import { signed, written } from "./written_numbers.js";

export const OF_NO_LABEL = "weight; belongs to no label";

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
  const of = label ? `“${label}”` : answer?.label === "" ? "“no answer”" : "";
  return {
    head: of ? `for ${of}` : "label not named",
    legend: `− opposes, + supports ${of || "a label that the source does not name"}`,
    number: signed,
    said: (score) => [signed(score), of && `for ${of}`].filter(Boolean).join(" "),
  };
}

/** @param {string} label @returns {Meaning} */
function weightOf(label) {
  const head = label ? `weight for “${label}”, without a sign` : OF_NO_LABEL;
  return {
    head,
    legend: label ? `weight for “${label}”; does not say whether a word supports or opposes it` : OF_NO_LABEL,
    number: written,
    said: (score) =>
      label ? `weight ${written(score)} for “${label}”` : `weight ${written(score)}; belongs to no label`,
  };
}
