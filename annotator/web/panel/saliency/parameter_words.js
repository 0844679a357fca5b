/** The parameters of attribution methods in words, as annotator/usecases/models/parameter_words.py says them. Pure. */
import { _ } from "../words/language.js";

/** Said anew each time: files are written in English. @returns {Record<string, string>} */
const names = () => ({
  baseline: _("baseline"),
  evaluations: _("evaluations"),
  features: _("features"),
  from: _("from"),
  heads: _("heads"),
  kernel_width: _("kernel width"),
  layer: _("layer"),
  magnitude: _("magnitude"),
  merge: _("merge"),
  output: _("output"),
  penalty: _("penalty"),
  perturbed: _("perturbed"),
  removal: _("removal"),
  samples: _("samples"),
  steps: _("steps"),
  too_long: _("too long"),
});
/** @returns {Record<string, string>} */
const values = () => ({
  all: _("all"),
  cover: _("cover"),
  cut: _("cut"),
  default: _("default"),
  delete: _("delete"),
  embeddings: _("embeddings"),
  last: _("last"),
  max: _("max"),
  mean: _("mean"),
  none: _("none"),
  piece: _("piece"),
  probability: _("probability"),
  question: _("question"),
  refuse: _("refuse"),
  sum: _("sum"),
  target: _("target"),
  windows: _("windows"),
  word: _("word"),
  zero: _("zero"),
});

/**
 * "removal delete"
 * @param {string} name
 * @param {unknown} value
 */
export const parameterWords = (name, value) =>
  _("{parameter} {value}", { parameter: names()[name] ?? name, value: values()[String(value)] ?? String(value) });
