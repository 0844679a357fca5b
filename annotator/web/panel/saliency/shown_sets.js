/**
 * A text with what is worked out of it once, and how the sets below its words are called and drawn: gold sets by
 * letters, people's sets by the number of their person, whose agreement with the maps is measured too.
 */
import { letterOf } from "../shared/annotation.js";
import { element, inline, option, paragraph, parts } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { combinations, goldRulesOfThemes, lanesOf, lookOf, styleOf } from "../shared/set_styles.js";
import { _, dotted } from "../words/language.js";
import { fitOf, written } from "./map_numbers.js";

/** Lanes of people's sets that stand below a line by themselves; of gold there are fewer (set_styles.js). */
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

/** The tokens of a text that can be marked. @param {Pick<HeatText, "segments">} text */
export const markableWords = ({ segments }) =>
  segments.filter((one) => one.is_selectable).flatMap(({ tokens }) => tokens);

/**
 * Those whose sets are drawn until somebody chooses: the first ones of a group, as many as there are lanes for.
 * @param {HeatPerson[]|null} people
 * @param {string} group  "": all
 */
function firstOf(people, group) {
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
const lookOfPerson = (people, person, dark) => lookOf(person, dark, people.length);

/**
 * The rules that draw the sets of a text below its words.
 * @param {HeatView} view
 * @param {number} lanes  as many as the longest of all texts on the screen has
 */
export const setRulesOf = (view, lanes) =>
  goldRulesOfThemes(view.combos, lanes, { prefix: view.prefix, lookAt: (set, dark) => lookOfSet(view, set, dark) });

// ---- Everybody's own sets in the place of gold: whose lanes they are, and how well maps agree with each person

const DEFINITION = _("token F1 of the top k with this person's best set; – nothing marked");

export class PeopleLegend {
  /** @param {(drawn: number[]) => void} chosen  other people's sets are to be drawn */
  constructor(chosen) {
    this.chosen = chosen;
    this.root = element("div", { class: "people", role: "group", "aria-label": _("People whose sets are drawn") });
  }

  /** @param {HeatView[]} views  the text, and the version beside it */
  show(views) {
    const view = views.find(({ people }) => people?.length);
    this.root.hidden = !view;
    const people = view?.people ?? [];
    const entries = people.map((person, number) => this.#entry(view, person, number));
    const words = numberingWords(people);
    this.root.replaceChildren(...entries, ...(words ? [paragraph("people-note", words)] : []));
  }

  /** @param {HeatView|undefined} view @param {HeatPerson} person @param {number} number */
  #entry(view, person, number) {
    const drawn = view?.owners.some((owner) => owner.person === number);
    const box = element("input", {
      type: "checkbox",
      checked: drawn,
      disabled: !person.sets.length,
      "data-person": number,
      onchange: () => this.#choose(number),
    });
    return element(
      "label",
      { class: "person", title: titleOf(person) },
      box,
      personBadge(view?.people ?? [], number),
      ...(view ? setSigns(view, number) : []),
      element(
        "span",
        { class: "person-name", dir: "auto" },
        person.is_own ? _("{name} (you)", { name: person.name }) : person.name,
      ),
      element("span", { class: "person-facts", dir: "auto" }, factsOf(person)),
    );
  }

  /** @param {number} number */
  #choose(number) {
    this.chosen(parts(this.root, "input", HTMLInputElement).flatMap((box, person) => (box.checked ? [person] : [])));
    parts(this.root, "input", HTMLInputElement)[number]?.focus();
  }
}

/**
 * That a number in the place of a name may be somebody else in each text; "" where all have names.
 * @param {HeatPerson[]} people
 */
export function numberingWords(people) {
  const first = people.find(({ is_numbered }) => is_numbered);
  if (!first) return "";
  return _("Numbers are per text: “{name}” may be someone else in another text.", { name: first.name });
}

/**
 * Each set of a person who has several, above a piece of its line, in its lane.
 * @param {HeatView} view @param {number} person
 */
const setSigns = (view, person) =>
  view.owners.flatMap((owner, set) =>
    owner.person === person && owner.n > 1 ? [inline(`set-sign ${view.prefix}${set}`, signOf(view, set))] : [],
  );

/** @param {HeatPerson} person */
const factsOf = ({ label, facts, sets, is_accepted }) =>
  dotted(label, ...facts, !sets.length && _("marked nothing"), !is_accepted && _("under review"));

/** @param {HeatPerson} person */
function titleOf({ name, sets }) {
  const sizes = sets.map((tokens) => counted(tokens.length, "token")).join(_(" and "));
  return sets.length
    ? _("{name}: {sets} of {sizes}. At most {most} lanes.", {
        name,
        sets: counted(sets.length, "set"),
        sizes,
        most: MOST_LANES,
      })
    : _("{name} marked nothing in this text.", { name });
}

/**
 * A person's number in the colour of their lanes, above a line in their pattern.
 * @param {HeatPerson[]} people
 * @param {number} person
 */
function personBadge(people, person) {
  const [light, dark] = [false, true].map((isDark) => lookOfPerson(people, person, isDark).color);
  return element("span", { class: "badge", style: `--set-light:${light};--set-dark:${dark}` }, String(person + 1));
}

/**
 * Token F1 of a map's top k with the best set of each person; null where it is not defined.
 * @param {Pick<SaliencyMap, "view"|"selected"|"isUnranked">} map
 * @returns {(number|null)[]}
 */
export const agreementsOf = ({ view, selected, isUnranked }) =>
  (view.people ?? []).map(({ sets }) =>
    isUnranked
      ? null
      : fitOf(
          selected,
          sets.filter(({ length }) => length),
        ).f1,
  );

/**
 * A row of the table of numbers for each person.
 * @param {Pick<SaliencyMap, "view"|"selected"|"isUnranked">} map
 * @returns {NumberRow[]}
 */
export const rowsOfPeople = (map) =>
  agreementsOf(map).map((f1, person) => {
    const people = map.view.people ?? [];
    return {
      title: _("F1 with {name}", { name: people[person].name }),
      value: written(f1),
      words: DEFINITION,
      badge: personBadge(people, person),
      badgeWords: _("person {number}", { number: person + 1 }),
    };
  });

/**
 * Writes below a map how well it agrees with each person, for what the controls say now.
 * @param {SaliencyMap} map  after it is painted
 */
export function paintAgreements(map) {
  if (!map.view.people?.length || map.panel.run === null) return;
  const found = parts(map.root, ".heat-fits", HTMLElement)[0];
  const line = found ?? element("p", { class: "heat-fits", title: DEFINITION });
  if (!found) map.legend.after(line);
  const { people } = map.view;
  const fits = agreementsOf(map).map((f1, person) =>
    element(
      "span",
      { class: "heat-fit", title: people[person].name, "aria-label": `${people[person].name}: ${written(f1)}` },
      personBadge(people, person),
      written(f1),
    ),
  );
  line.replaceChildren(_("F1 with"), ...fits);
}

/**
 * What is shown below the words, where that is not plain.
 * @param {HeatView} view
 * @param {{gold: string, policy: string}} asked  what is chosen, and the project's own policy
 */
export function goldWords(view, { gold, policy }) {
  if (view.people) return view.people.length ? "" : _("No accepted sets, or submitted ones you may see.");
  if (!view.gold.length) return _("No gold sets to compare attributions with.");
  return gold && gold !== policy
    ? _("Gold sets by “{gold}”; metrics use “{policy}”.", { gold: policyWords(gold), policy: policyWords(policy) })
    : "";
}

/** @type {Record<string, string>} */
const POLICY_WORDS = { chosen: _("chosen"), all: _("all"), majority: _("majority"), union: _("union") };
export const POLICIES = Object.keys(POLICY_WORDS);
/** @param {string} policy */
const policyWords = (policy) => POLICY_WORDS[policy] ?? policy;

/**
 * The choice of what stands below the words.
 * @param {(gold: string) => unknown} chosen
 */
export const goldChoice = (chosen) => {
  const select = element("select", { class: "gold-choice", "aria-label": _("Sets below the words") });
  select.addEventListener("change", () => chosen(select.value));
  return select;
};

/**
 * @param {HTMLSelectElement} select
 * @param {{gold: string, policy: string}} asked
 */
export function offerGold(select, { gold, policy }) {
  const others = POLICIES.filter((one) => one !== policy);
  select.replaceChildren(
    option("", _("project's gold: {policy}", { policy: policyWords(policy) })),
    ...others.map((one) => option(one, _("gold: {policy}", { policy: policyWords(one) }))),
    option("people", _("people, one by one")),
  );
  select.value = gold === policy ? "" : gold;
}
