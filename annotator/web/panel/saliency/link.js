/**
 * The link to what is on the screen: what an address says of it, what of that can still be shown, and how a colleague
 * gets it.
 */
import { openDialog } from "../shared/dialogs.js";
import { copyText, element, paragraph } from "../shared/dom.js";
import { _, listed, together } from "../words/language.js";
import { brushOf } from "./scatter_points.js";
import { POLICIES } from "./shown_sets.js";
import { missingWords, whichOf } from "./slices.js";

// ---- How the maps are shown

/** @type {HeatFlag[]}  as an address names them, too */
export const FLAGS = ["shared", "magnitude", "clip", "numbers", "bars", "pieces", "matrix"];

/**
 * How the maps are shown, as an address says it.
 * @param {URLSearchParams} asked
 * @returns {HeatState}
 */
export function stateOf(asked) {
  const looks = (asked.get("looks") || "").split(" ");
  const flags = Object.fromEntries(FLAGS.map((flag) => [flag, looks.includes(flag)]));
  return { share: shareOf(asked), .../** @type {Record<HeatFlag, boolean>} */ (flags) };
}

/**
 * The share of the tokens in the top k, in percent; null where the address names none from 0 to 100.
 * @param {URLSearchParams} asked
 */
function shareOf(asked) {
  const k = asked.get("k");
  const share = k ? Number(k) : NaN;
  return share >= 0 && share <= 100 ? share : null;
}

/** @param {URLSearchParams} asked */
export function goldOf(asked) {
  const gold = asked.get("gold") ?? "";
  return [...POLICIES, "people"].includes(gold) ? gold : "";
}

const PANEL = /^\d{1,15}:(?:-|\d{1,9}):/;
const NUMBER = /^(\d{1,15}|-):(?:-|\d{1,9}):(.+)$/s;
const NUMBER_OF_SUBWORD = /^[1-9]\d{0,3}$/;
const DIGITS = /^\d{1,15}$/;
/** As a typed text stands in an address; proxies commonly take 8,000 characters of one. */
const LONGEST_TYPED = 3000;
/** In the place of a typed text that is too long for an address: it is in this tab alone. */
export const IN_THIS_TAB = "tab";

/** @typedef {Record<string, string>} Texts  by segment */
/** @typedef {Pick<MeasuredNumbers, "runs"|"of_texts"|"of_answers">} Given */

/**
 * The maps of an address that can be shown; null where it names none, or none that is there.
 * @param {URLSearchParams} asked
 * @param {{run: number}[]} runs
 */
export function panelsOf(asked, runs) {
  const panels = (asked.get("panels") ?? "").split(",").filter(Boolean);
  const known = panels.filter((panel) => PANEL.test(panel) && isRun(panel.split(":")[0], runs));
  return known.length || (asked.has("panels") && !panels.length) ? known.slice(0, 8) : null;
}

/** @param {string} text @param {{run: number}[]} runs */
const isRun = (text, runs) => DIGITS.test(text) && runs.some(({ run }) => run === Number(text));

/**
 * What an address asks for and the page cannot show, in words.
 * @param {URLSearchParams} asked
 * @param {Given} given
 * @returns {string[]}
 */
export const goneOf = (asked, given) => [
  ...new Set([
    ...goneMaps(asked, given.runs),
    ...whichOf(asked, given.runs).gone,
    ...goneNumbers(asked, given),
    ...goneLooks(asked),
  ]),
];

/** @param {URLSearchParams} asked @param {{run: number}[]} runs */
const goneMaps = (asked, runs) =>
  (asked.get("panels") ?? "")
    .split(",")
    .filter(Boolean)
    .flatMap((panel) => (PANEL.test(panel) && isRun(panel.split(":")[0], runs) ? [] : [mapWords(panel)]));

/** Of the order of the texts and of the scatter. @param {URLSearchParams} asked @param {Given} given */
function goneNumbers(asked, given) {
  const gone = [
    ["by", _("Number of the run")],
    ["x", _("Number to the right (x)")],
    ["y", _("Number upwards (y)")],
  ].flatMap(([name, words]) => {
    const number = asked.get(name);
    return number && !isNumber(number, given) ? [missingWords(words, number)] : [];
  });
  if (!["", "lowest", "highest"].includes(asked.get("order") ?? ""))
    gone.push(missingWords(_("Direction"), asked.get("order") ?? ""));
  if (["xs", "ys", "outline"].some((name) => asked.get(name)) && !brushOf(asked)) gone.push(_("Scatter"));
  return gone;
}

/** Of how the text is shown. @param {URLSearchParams} asked */
function goneLooks(asked) {
  const [gold, typed, k] = ["gold", "typed", "k"].map((name) => asked.get(name) ?? "");
  /** @type {string[]} */
  const gone = [];
  if (gold && ![...POLICIES, "people"].includes(gold)) gone.push(missingWords(_("Sets"), gold));
  if (k && shareOf(asked) === null) gone.push(missingWords(_("Top k"), k));
  const looks = (asked.get("looks") ?? "").split(" ").filter(Boolean);
  const strange = looks.filter((name) => !FLAGS.some((flag) => flag === name));
  gone.push(...strange.map((name) => missingWords(_("View"), name)));
  if (typed && typed !== IN_THIS_TAB && !typedOf(typed)) gone.push(_("Typed text"));
  return gone;
}

/**
 * Of the maps of an address those layers and labels that their runs do not have for a text, in words, and the maps
 * without them: the run chooses its own.
 * @param {string[]} panels
 * @param {Pick<RunChoice, "run"|"layers"|"labels">[]} choices  what there is of the text
 */
export function goneParts(panels, choices) {
  /** @type {string[]} */
  const gone = [];
  const kept = panels.map((panel) => {
    const [run, layer, ...words] = panel.split(":");
    const [choice, label] = [choices.find((one) => String(one.run) === run), words.join(":")];
    if (!choice) return panel;
    const hasLayer = layer === "-" || choice.layers.includes(Number(layer));
    const hasLabel = !label || choice.labels.includes(label);
    if (!hasLayer) gone.push(`${missingWords(_("Layer"), layer)} (${_("run {run}", { run })})`);
    if (!hasLabel) gone.push(`${missingWords(_("Label"), label)} (${_("run {run}", { run })})`);
    return `${run}:${hasLayer ? layer : "-"}:${hasLabel ? label : ""}`;
  });
  return { gone, panels: kept };
}

/** @param {string} panel */
function mapWords(panel) {
  const [run] = panel.split(":");
  return DIGITS.test(run) ? _("run {run}", { run }) : missingWords(_("Heatmaps"), panel);
}

/**
 * Whether a number of an address is there: of the text, of a model's answers, or measured of a run.
 * @param {string} text
 * @param {Given} given
 */
function isNumber(text, { runs, of_texts, of_answers }) {
  const match = NUMBER.exec(text);
  if (!match) return false;
  const [, run, name] = match;
  if (run === "-") return of_texts.includes(name);
  const stored = runs.find((one) => String(one.run) === run);
  const isMeasured = stored?.numbers.some((one) => `${run}:${one.layer ?? "-"}:${one.name}` === text);
  return Boolean(isMeasured || (stored?.has_probabilities && of_answers.includes(name)));
}

/**
 * What is said of a link that asks for more than there is.
 * @param {string[]} gone
 * @param {string[]} instead  what is shown in its place, in sentences
 */
export const goneWords = (gone, instead = []) =>
  gone.length ? together(_("Not found, so ignored: {names}.", { names: listed(gone) }), ...instead) : "";

/**
 * A typed text as an address holds it; "tab" where it is too long.
 * @param {Texts} texts
 */
export function typedText(texts) {
  const text = JSON.stringify(texts);
  return encodeURIComponent(text).length > LONGEST_TYPED ? IN_THIS_TAB : text;
}

/**
 * The texts by segment that an address holds; null for what cannot be read.
 * @param {string} text
 * @returns {Texts|null}
 */
export function typedOf(text) {
  try {
    const texts = JSON.parse(text);
    const isRead = typeof texts === "object" && texts !== null && !Array.isArray(texts);
    return isRead && Object.values(texts).every((words) => typeof words === "string") ? texts : null;
  } catch {
    return null;
  }
}

/**
 * The people whose sets are drawn, as an address names them: by the numbers on the screen, from 1; null: nobody chose.
 * @param {URLSearchParams} asked
 */
export function drawnOf(asked) {
  const text = asked.get("drawn");
  if (!text) return null;
  return text.split(",").flatMap((one) => (/^\d{1,4}$/.test(one) && one !== "0" ? [Number(one) - 1] : []));
}

/**
 * Of each map the subword of what was written that an address shows; null: all of them.
 * @param {URLSearchParams} asked
 */
export const stepsOf = (asked) =>
  (asked.get("written") ?? "")
    .split(",")
    .map((subword) => (NUMBER_OF_SUBWORD.test(subword) ? Number(subword) - 1 : null));

/**
 * The subwords as an address names them, from 1; "" where no map is of a single one.
 * @param {(number|null)[]} steps
 */
export const stepsText = (steps) =>
  steps.some((step) => step !== null) ? steps.map((step) => (step === null ? "-" : step + 1)).join(",") : "";

/**
 * The subwords of an address that are not on the screen, in words.
 * @param {URLSearchParams} asked
 * @param {(number|null)[]} shown
 */
export const goneSteps = (asked, shown) =>
  (asked.get("written") ?? "").split(",").flatMap((subword, place) => {
    const isShown = !subword || subword === "-" || subword === String((shown[place] ?? -1) + 1);
    return isShown ? [] : [missingWords(_("Subwords"), subword)];
  });

/**
 * Copies a link; where the browser does not let a page copy, it stands in a field from which one can.
 * @param {HTMLElement} root
 * @param {string} link
 * @returns {Promise<boolean>}  whether it is copied
 */
export async function copyLink(root, link) {
  const isCopied = await copyText(link);
  if (!isCopied) openLink(root, link);
  return isCopied;
}

/** @param {HTMLElement} root @param {string} link */
function openLink(root, link) {
  const field = element("input", {
    type: "text",
    class: "link-field",
    readOnly: true,
    value: link,
    "aria-label": _("Copy link"),
    onfocus: () => field.select(),
  });
  openDialog(root, _("Copy link"), paragraph("dialog-words", _("The link was not copied. Press Ctrl+C.")), field);
  field.focus();
}
