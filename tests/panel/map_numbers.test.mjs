// Numbers of a map: how they are written (as in annotator/domain/numbers.py), the top k, and remarks on them.
import assert from "node:assert/strict";
import test from "node:test";
import {
  depthsOf,
  factsOf,
  hasNoOrder,
  orderOf,
  percent,
  remarksOf,
  selectedOf,
  signed,
  written,
} from "../../annotator/web/panel/saliency/map_numbers.js";

const of = (scores, more = {}) => ({ scores, ranking: null, spans: null, facts: {}, ...more });
const wordsOf = (panel) => remarksOf(panel).map(({ words }) => words);
const top = (panel) => selectedOf(panel, [{ n: 3 }], [2], orderOf(panel));

for (const [scores, reason] of [
  [[0, 0, 0], "nothing counted"],
  [[0.5, 0.5, 0.5], "all counted the same"],
  [[-1, null, -1], "one word was not seen"],
])
  test(`of equal scores no word is in the top k: ${reason}`, () => {
    assert.deepEqual([...top(of(scores))], []);
    assert.deepEqual(wordsOf(of(scores)), ["All scores are equal, so there is no top k."]);
  });

for (const [panel, selected, reason] of [
  [of([0, 0, 1e-9]), [2, 0], "one is larger"],
  [of([0, 0, 0], { ranking: [2, 1, 0] }), [2, 1], "the source ranks them itself"],
  [of([null, 3, null]), [1], "a single word has a score"],
])
  test(`scores have an order where ${reason}`, () => {
    assert.equal(hasNoOrder(panel), false);
    assert.deepEqual([...top(panel)], selected);
    assert.deepEqual(wordsOf(panel), []);
  });

test("there is no agreement between two rankings of which one has no order", () => {
  assert.deepEqual(depthsOf([], ["a", "b"]), { depths: [], map: null });
  assert.deepEqual(depthsOf(["a", "b"], []), { depths: [], map: null });
});

test("a map whose scores miss too much of what they explain says how much, up to 5 % is close enough", () => {
  const missing = (share) => wordsOf(of([1, 2, 3], { facts: { convergence_share: share } }));
  assert.deepEqual(missing(0.05), []);
  assert.deepEqual(missing(0.231), [
    "Not converged: the scores miss 23.1 % of the change. Use more steps or another baseline.",
  ]);
});

test("a number has as many digits as its size asks for", () => {
  const values = [0.3711, 0.05, 0.0042, -0.187, 1.0, 12.345, 1234.4, 0.00002, -1e-17, -0.0, 0.0, 0.99999, null];
  const words = ["0.371", "0.050", "0.0042", "−0.187", "1.00", "12.3", "1,234", "2.0e−5", "0", "0", "0", "1.00", "–"];
  assert.deepEqual(values.map(written), words);
});

test("a number that may be on either side of zero has its sign, and zero has none", () => {
  assert.deepEqual([0.021, -0.0042, -1e-17].map(signed), ["+0.021", "−0.0042", "0"]);
});

test("a share is written in percent, and none with a dash", () => {
  assert.deepEqual([0.4444, -1e-17, null].map(percent), ["44.4 %", "0.0 %", "–"]);
});

test("of AttnLRP the row says what share of the logit no word gets, and what the scores share out", () => {
  const rows = factsOf({ facts: { full: 2.0, absorbed_share: 0.25 }, spread: null, convergence: -0.5 });
  assert.deepEqual(
    rows.map(({ title, value, detail }) => [title, value, detail]),
    [["Absorbed relevance", "25.0 %", "of 2.00, the scores share out 1.50"]],
  );
});
