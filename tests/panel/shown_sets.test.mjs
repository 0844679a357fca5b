// Whose lanes stand below the words of a text, what they are called, and how well a map agrees with each person.
import assert from "node:assert/strict";
import test from "node:test";
import { agreementsOf, numberingWords } from "../../annotator/web/panel/saliency/shown_sets.js";
import { lookOfSet, ownerOf, setRulesOf, signOf, viewOf } from "../../annotator/web/panel/saliency/shown_sets.js";

const person = (name, ...sets) => ({ name, sets, facts: [], is_own: false, is_numbered: false, is_accepted: true });
const text = (people, gold = []) => ({ sides: [{ n: 6 }], gold, people });

test("people's sets are lanes, named by their person's number, with a letter where they have several", () => {
  const view = viewOf(text([person("ann", [0], [1, 2]), person("bob", [2])]));
  assert.deepEqual(view.gold, [[0], [1, 2], [2]]);
  assert.deepEqual(
    view.gold.map((_, set) => signOf(view, set)),
    ["1a", "1b", "2"],
  );
  assert.deepEqual(
    view.gold.map((_, set) => ownerOf(view, set)),
    ["ann, set A", "ann, set B", "bob"],
  );
  assert.deepEqual(view.combos, ["0", "1", "1-2", "", "", ""]);
});

test("a number in the place of a name is told to be somebody else in the next text, and names are not", () => {
  assert.equal(numberingWords([person("ann", [0])]), "");
  const numbered = { ...person("annotator 1", [0]), is_numbered: true };
  assert.match(numberingWords([person("me"), numbered]), /“annotator 1” may be someone else in another text/);
});

test("gold sets keep their letters", () => {
  const view = viewOf(text(null, [[0], [3]]));
  assert.equal(signOf(view, 1), "B");
  assert.equal(view.lanes, 2);
});

test("people beyond the lanes are not drawn until somebody chooses them", () => {
  const crowd = Array.from({ length: 15 }, (_, number) => person(`p${number}`, [0]));
  const view = viewOf(text(crowd));
  assert.equal(view.gold.length, 12);
  const last = viewOf(text(crowd), { isDrawn: (number) => number === 14 });
  assert.deepEqual([last.gold.length, signOf(last, 0)], [1, "15"]);
});

test("a person's sets have one colour, and two people's have two", () => {
  const view = viewOf(text([person("ann", [0], [1]), person("bob", [2])]));
  const rules = setRulesOf(view, view.lanes);
  const colourOf = (set) => new RegExp(`(?:^|\\})\\.g${set}\\{[^}]*?(#[0-9A-F]{6})`).exec(rules)?.[1];
  assert.ok(colourOf(0));
  assert.equal(colourOf(0), colourOf(1));
  assert.notEqual(colourOf(0), colourOf(2));
});

test("a person's several sets have a pattern and a lane each, also where somebody chose more than stand there at first", () => {
  const crowd = Array.from({ length: 7 }, (_, number) => person(`p${number}`, [0], [0, 1]));
  const view = viewOf(text(crowd), { isDrawn: () => true });
  assert.notEqual(lookOfSet(view, 0, false).style, lookOfSet(view, 1, false).style);
  const [rule] = setRulesOf(view, view.lanes).split("}");
  const lanes = /background-position:([^;]*)/.exec(rule)[1].split(",");
  assert.equal(lanes.length, 14);
  assert.equal(new Set(lanes).size, 14);
});

test("agreement is token F1 with the best set of a person, and not defined where they marked nothing", () => {
  const view = viewOf(text([person("ann", [0], [1, 2]), person("bob"), person("cem", [5])]));
  const map = { view, selected: new Set([1, 2]), isUnranked: false };
  assert.deepEqual(agreementsOf(map), [1, null, 0]);
  assert.deepEqual(agreementsOf({ ...map, isUnranked: true }), [null, null, null]);
});

test("people who are not drawn are measured all the same", () => {
  const view = viewOf(text([person("ann", [0]), person("bob", [1])]), { isDrawn: () => false });
  assert.deepEqual(agreementsOf({ view, selected: new Set([1]), isUnranked: false }), [0, 1]);
});
