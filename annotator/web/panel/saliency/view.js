/**
 * A text with what is worked out of it once, and how the sets below its words are called and drawn: gold sets by
 * letters, people's sets by the number of their person.
 */
import { _ } from "../words/language.js";
import { combinations, goldRulesOfThemes, lanesOf } from "../shared/gold_underlines.js";
import { letterOf } from "../shared/model.js";
import { lookOf, styleOf } from "../shared/palette.js";

/** Lanes of people's sets that stand below a line by themselves; of gold there are fewer (gold_underlines.js). */
export const MOST_LANES = 12;
/** Lanes where somebody chose more people: each of their sets keeps one of its own. */
const MOST_CHOSEN_LANES = 36;

/** @typedef {{person: number, nth: number, n: number}} Owner  whose set it is, and which of their n */
/**
 * n: its tokens that can be marked; gold: the sets that are drawn, of people too; prefix: of the classes that draw them
 * @typedef {HeatText & {n: number, combos: string[], isPaired: boolean, prefix: string, lanes: number,
 *   owners: Owner[]}} HeatView
 */

/**
 * @param {HeatText} text
 * @param {{isPaired?: boolean, prefix?: string, isDrawn?: (person: number) => boolean, group?: string}} [looks]
 * @returns {HeatView}
 */
export function viewOf(text, { isPaired = false, prefix = "g", group = "", ...looks } = {}) {
  const isDrawn = looks.isDrawn ?? firstOf(text.people, group);
  const n = text.sides.reduce((sum, side) => sum + side.n, 0);
  const owned = (text.people ?? []).flatMap(({ sets }, person) =>
    isDrawn(person) ? sets.map((tokens, nth) => ({ tokens, owner: { person, nth, n: sets.length } })) : [],
  );
  const gold = text.people ? owned.map(({ tokens }) => tokens) : text.gold;
  return {
    ...text,
    gold,
    n,
    combos: combinations(gold, n),
    isPaired,
    prefix,
    lanes: text.people ? Math.min(MOST_CHOSEN_LANES, Math.max(1, gold.length)) : lanesOf(gold),
    owners: owned.map(({ owner }) => owner),
  };
}

/**
 * Those whose sets are drawn until somebody chooses: the first ones of a group, as many as there are lanes for.
 * @param {HeatPerson[]|null} people
 * @param {string} group  "": all
 */
export function firstOf(people, group) {
  let n = 0;
  const drawn = (people ?? []).map(({ sets, facts }) => {
    const fits = n + sets.length <= MOST_LANES && (!group || facts.includes(group));
    if (fits) n += sets.length;
    return fits;
  });
  return (/** @type {number} */ person) => drawn[person] ?? false;
}

/**
 * The letter of a gold set; of a person's set their number, with a letter where they have several.
 * @param {Pick<HeatView, "people"|"owners">} view
 * @param {number} set
 */
export function signOf(view, set) {
  if (!view.people) return letterOf(set);
  const { person, nth, n } = view.owners[set];
  return n > 1 ? `${person + 1}${letterOf(nth).toLowerCase()}` : String(person + 1);
}

/**
 * What a set is called where there is room.
 * @param {Pick<HeatView, "people"|"owners">} view
 * @param {number} set
 */
export function ownerOf(view, set) {
  if (!view.people) return _("set {letter}", { letter: letterOf(set) });
  const { person, nth, n } = view.owners[set];
  const { name } = view.people[person];
  return n > 1 ? _("{name}, set {letter}", { name, letter: letterOf(nth) }) : name;
}

/**
 * Colour and pattern: of a gold set its own, of people's sets the colour of their person, and a pattern each where they
 * have several.
 * @param {Pick<HeatView, "people"|"owners">} view
 * @param {number} set
 * @param {boolean} dark
 */
export function lookOfSet(view, set, dark) {
  if (!view.people) return lookOf(set, dark);
  const { person, nth, n } = view.owners[set];
  const look = lookOfPerson(view.people, person, dark);
  return n > 1 ? { ...look, style: styleOf(nth) } : look;
}

/** @param {HeatPerson[]} people @param {number} person @param {boolean} dark */
export const lookOfPerson = (people, person, dark) => lookOf(person, dark, people.length);

/**
 * The rules that draw the sets of a text below its words.
 * @param {HeatView} view
 * @param {number} lanes  as many as the longest of all texts on the screen has
 */
export const setRulesOf = (view, lanes) =>
  goldRulesOfThemes(view.combos, lanes, { prefix: view.prefix, lookAt: (set, dark) => lookOfSet(view, set, dark) });
