/** What the scores of a map mean, in words: whether they have signs, and which label they belong to. */
import { _ } from "../words/language.js";
import { signed, written } from "./written_numbers.js";

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
  const of = label ? `“${label}”` : answer?.label === "" ? _("“no answer”") : "";
  return {
    head: of ? _("for {label}", { label: of }) : _("label not named"),
    legend: of
      ? _("− opposes, + supports {label}", { label: of })
      : _("− opposes, + supports a label that the source does not name"),
    number: signed,
    said: (score) => (of ? _("{score} for {label}", { score: signed(score), label: of }) : signed(score)),
  };
}

/** @param {string} label @returns {Meaning} */
function weightOf(label) {
  const head = label ? _("weight for “{label}”, without a sign", { label }) : OF_NO_LABEL();
  return {
    head,
    legend: label
      ? _("weight for “{label}”; does not say whether a word supports or opposes it", { label })
      : OF_NO_LABEL(),
    number: written,
    said: (score) =>
      label
        ? _("weight {score} for “{label}”", { score: written(score), label })
        : _("weight {score}; belongs to no label", { score: written(score) }),
  };
}
