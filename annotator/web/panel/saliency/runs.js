/**
 * Runs as people choose them: how they and their parameters are called, what tells two of a name apart, and which of
 * their maps comes next.
 */
import { counted } from "../shared/naming.js";
import { _, dotted, listed } from "../words/language.js";

// ---- Parameters of attribution methods in words, as annotator/usecases/models/parameter_words.py says them

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
  piece: _("subword"),
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
const parameterWords = (name, value) =>
  _("{parameter} {value}", { parameter: names()[name] ?? name, value: values()[String(value)] ?? String(value) });

/** @param {Omit<RunName, "run">} run  a run without a method is a model's predictions */
export const titleOf = ({ model, method, seed }) => dotted(model, method || _("predictions"), seedWords(seed));

/**
 * Whose predictions a run holds.
 * @param {Pick<RunName, "model"|"seed">} given
 */
export const whoseOf = ({ model, seed }) => dotted(model, seedWords(seed));

/** @param {number|null|undefined} seed */
const seedWords = (seed) => (seed === null || seed === undefined ? "" : _("seed {seed}", { seed }));

/**
 * A number of a run, and of which layer it is.
 * @param {string} number
 * @param {number|null} layer
 */
export const layerWords = (number, layer) =>
  layer === null ? number : _("{number}, layer {layer}", { number, layer });

/**
 * The title with what tells the run apart from the others.
 * @param {RunName} run
 * @param {RunName[]} runs
 */
export const fullTitleOf = (run, runs) => dotted(titleOf(run), differences(run, runs));

/**
 * By which parameters a run differs from another one of the same model, method and seed; "" where there is none.
 * @param {Omit<RunName, "run"> & {run: number|null, layer?: number|null}} one  layer: of a map, whose title says it
 * @param {RunName[]} runs
 */
export function differences(one, runs) {
  const same = runs.filter((other) => other.run !== one.run && titleOf(other) === titleOf(one));
  if (!same.length) return "";
  const own = parametersOf(one);
  const others = same.map(parametersOf);
  const names = Object.keys(own).filter((name) =>
    others.some((other) => JSON.stringify(other[name]) !== JSON.stringify(own[name])),
  );
  if (!names.length) return _("run {run}", { run: String(one.run) });
  const isSaid = (/** @type {string} */ name) => name === "layer" && own[name] === one.layer;
  return listed(names.flatMap((name) => (isSaid(name) ? [] : parameterWords(name, own[name]))));
}

/** @param {{parameters: string}} run @returns {Record<string, unknown>} */
function parametersOf({ parameters }) {
  try {
    return JSON.parse(parameters) || {};
  } catch {
    return {};
  }
}

/**
 * Runs that differ in their seed alone, folded together: random scores have ten seeds, and ten entries that look alike
 * hide the others.
 * @template {RunName} R
 * @param {R[]} runs
 * @returns {Group<R>[]}
 */
export function groupsOf(runs) {
  /** @type {Map<number, R[]>} */
  const groups = new Map();
  for (const run of runs) groups.set(run.group ?? run.run, [...(groups.get(run.group ?? run.run) || []), run]);
  /** @param {R} a @param {R} b */
  const bySeed = (a, b) => (a.seed ?? -1) - (b.seed ?? -1);
  const all = [...groups.values()]
    .map((of) => of.sort(bySeed))
    .map((of) => ({ first: of[0], runs: of, named: of.length > 1 ? { ...of[0], seed: null } : of[0] }));
  const names = all.map(({ named }) => named);
  return all.map(({ first, runs: of, named }) => ({
    first,
    runs: of,
    title:
      of.length > 1
        ? _("{title} ({seeds})", { title: fullTitleOf(named, names), seeds: counted(of.length, "seed") })
        : fullTitleOf(named, names),
  }));
}

/**
 * The group that holds a run.
 * @template {RunName} R
 * @param {number|null} run
 * @param {R[]} runs
 */
export const groupOf = (run, runs) => groupsOf(runs).find((group) => group.runs.some((one) => one.run === run));

/**
 * @template {RunName} R
 * @typedef {{first: R, runs: R[], title: string}} Group
 */

/**
 * The next map of a group: of its first seed, then of the others.
 * @param {Group<RunChoice>} group
 * @param {HeatPanel[]} panels
 */
export function nextOfGroup(group, panels) {
  for (const run of group.runs) {
    const next = nextMapOf(run, panels);
    if (next) return next;
  }
  return null;
}

/**
 * The map of a run that is not on screen yet, as an address names it; null where all are.
 * @param {Pick<RunChoice, "run"|"layers"|"labels">} choice
 * @param {Pick<HeatPanel, "run"|"layer"|"label">[]} panels  those on screen
 */
function nextMapOf(choice, panels) {
  const shown = panels.filter((panel) => panel.run === choice.run);
  if (!shown.length) return `${choice.run}:-:`;
  /** @param {number|null} layer @param {string} label */
  const isShown = (layer, label) => shown.some((panel) => panel.layer === layer && panel.label === label);
  for (const layer of choice.layers.length ? choice.layers : [null]) {
    for (const label of choice.labels.length ? choice.labels : [""])
      if (!isShown(layer, label)) return `${choice.run}:${layer ?? "-"}:${label}`;
  }
  return null;
}
