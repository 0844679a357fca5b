// What is pure in the scatter: equal points, ticks, parts of it, and what an address says of them.
import assert from "node:assert/strict";
import test from "node:test";
import {
  brushOf,
  brushWords,
  domainOf,
  fewCorners,
  holds,
  learnedWords,
  missingWords,
  queryOf,
  rounded,
  spotsOf,
  ticksOf,
} from "../../annotator/web/panel/saliency/scatter_points.js";

const addressOf = (brush) => new URLSearchParams(queryOf(brush));
const box = (xs, ys) => ({ xs, ys, outline: [] });

test("texts with the same two numbers are one spot that holds them all", () => {
  const spots = spotsOf([1, 2, 1, 1], [0, 0, 0, 5]);
  assert.deepEqual(
    spots.map(({ places }) => places),
    [[0, 2], [1], [3]],
  );
});

for (const [values, domain] of [
  [[], [0, 1]],
  [
    [0, 1],
    [-0.04, 1.04],
  ],
  [[5], [4.8, 5.2]],
  [[0], [-1, 1]],
])
  test(`an axis of ${JSON.stringify(values)} shows all of them with room`, () =>
    assert.deepEqual(domainOf(values), domain));

test("ticks are round numbers, and a zero has no minus", () => {
  assert.deepEqual(
    ticksOf([-0.04, 1.04], 5).map(({ words }) => words),
    ["0.0", "0.5", "1.0"],
  );
  assert.deepEqual(
    ticksOf([-12, 12], 4).map(({ words }) => words),
    ["−10", "0", "10"],
  );
});

for (const [brush, x, y, isIn] of [
  [box([1, 2], [null, null]), 1, 99, true], // the ends belong to it
  [box([1, 2], [null, null]), 2.1, 0, false],
  [box([null, 2], [3, null]), -5, 3, true],
  [box([null, 2], [3, null]), -5, 2, false],
  [
    {
      ...box([null, null], [null, null]),
      outline: [
        [0, 0],
        [4, 0],
        [0, 4],
      ],
    },
    1,
    1,
    true,
  ],
  [
    {
      ...box([null, null], [null, null]),
      outline: [
        [0, 0],
        [4, 0],
        [0, 4],
      ],
    },
    3,
    3,
    false,
  ],
])
  test(`${JSON.stringify(brush)} ${isIn ? "holds" : "does not hold"} ${x}, ${y}`, () =>
    assert.equal(holds(brush, x, y), isIn));

for (const brush of [
  box([0.25, null], [null, -1e-7]),
  {
    ...box([null, null], [null, null]),
    outline: [
      [0, 0],
      [-1.5, 2],
      [3, 4],
    ],
  },
])
  test(`an address brings back ${JSON.stringify(brush)}`, () => assert.deepEqual(brushOf(addressOf(brush)), brush));

for (const hostile of [
  "xs=2~1",
  "xs=a~b",
  "xs=1",
  "xs=~",
  "xs=1~Infinity",
  "outline=1,2 3,4",
  "outline=1,2 3,4 5",
  "outline=<b>",
  "",
  "ys=1~2~3",
])
  test(`an address that ends with “${hostile}” selects nothing`, () =>
    assert.equal(brushOf(new URLSearchParams(hostile)), null));

test("a bound has no digits that nobody can point at", () => {
  assert.equal(rounded(0.123456, [0, 1]), 0.123);
  assert.equal(rounded(1234.5678, [0, 5000]), 1235);
  assert.equal(rounded(0.000012345, [0, 0.0001]), 0.0000123);
});

test("a long path keeps its beginning and few corners", () => {
  const path = Array.from({ length: 1000 }, (_, at) => at);
  assert.equal(fewCorners(path).length, 60);
  assert.equal(fewCorners(path)[0], 0);
});

test("a part of the scatter is said in words", () => {
  assert.equal(brushWords(box([0.2, 0.5], [null, 3]), "F1", "length"), "F1 0.200 to 0.500, length up to 3");
  assert.equal(brushWords(box([null, null], [4, null]), "F1", "length"), "length from 4");
});

test("texts without a value are counted in words, once where both axes are one number", () => {
  const given = { n: 160, ids: [], without_x: 12, without_y: 1 };
  assert.equal(missingWords(given, "F1", "length"), "12 of 160 texts have no F1. 1 of 160 texts has no length.");
  assert.equal(missingWords({ ...given, without_y: 12 }, "F1", "F1"), "12 of 160 texts have no F1.");
  assert.equal(missingWords({ ...given, without_x: 0, without_y: 0 }, "F1", "length"), "");
});

test("of the texts that each model of the axes was trained on it is said that Metrics leaves them out", () => {
  assert.equal(
    learnedWords({ "built-in": [3, 5], minilm: [7], other: [] }),
    "built-in was trained on 2 of them (open points; not in Metrics). " +
      "minilm was trained on 1 of them (open points; not in Metrics).",
  );
  assert.equal(learnedWords({}), "");
});
