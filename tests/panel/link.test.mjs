// What of a link can still be shown, and what is said of the rest.
import assert from "node:assert/strict";
import test from "node:test";
import {
  copyLink,
  drawnOf,
  goneOf,
  goneParts,
  goneWords,
  IN_THIS_TAB,
  panelsOf,
  typedOf,
  typedText,
} from "../../annotator/web/panel/saliency/link.js";

const GIVEN = {
  runs: [
    { run: 1, method: "", numbers: [], has_probabilities: true },
    { run: 2, method: "lime", numbers: [{ layer: null, name: "sets.best_f1" }], has_probabilities: false },
  ],
  of_texts: ["text.tokens"],
  of_answers: ["answer.confidence"],
};
const of = (text) => new URLSearchParams(text);

for (const [query, panels, reason] of [
  ["", null, "the server chooses"],
  ["panels=", [], "no map is open"],
  ["panels=2:-:,1:-:positive", ["2:-:", "1:-:positive"], "all are there"],
  ["panels=2:-:,99:-:", ["2:-:"], "one is gone"],
  ["panels=99:-:", null, "all are gone"],
  ["panels=<b>,2:x:,2:-:", ["2:-:"], "some cannot be read"],
  [`panels=${"2:-:,".repeat(20)}`, Array(8).fill("2:-:"), "more than can be shown"],
])
  test(`of maps in a link those that are there are opened: ${reason}`, () =>
    assert.deepEqual(panelsOf(of(query), GIVEN.runs), panels));

for (const [query, gone] of [
  ["panels=2:-:&by=2:-:sets.best_f1&x=-:-:text.tokens&y=1:-:answer.confidence&answers=1&gold=people&xs=1~2", []],
  ["panels=99:-:,99:-:a", ["run 99"]],
  ["panels=<b>", ["Heatmaps “<b>”"]],
  ["by=2:-:sets.gone", ["Number of the run “2:-:sets.gone”"]],
  ["x=7:-:answer.confidence", ["Number to the right (x) “7:-:answer.confidence”"]],
  ["y=2:-:answer.confidence", ["Number upwards (y) “2:-:answer.confidence”"]],
  ["answers=7&other=%27", ["Whose predictions “7”", "The other model “'”"]],
  ["gold=everybody", ["Sets “everybody”"]],
  ["which=wrong&answers=7", ["Whose predictions “7”"]],
  ["which=wrong&answers=2", ["Whose predictions “2”"]],
  ["which=<b>", ["Which texts “<b>”"]],
  ["which=won&answers=1", ["right where another is wrong (too few models have predictions)"]],
  ["by=2:-:sets.best_f1&order=sideways", ["Direction “sideways”"]],
  ["k=high&order=highest", ["Top k “high”"]],
  ["k=0&which=perturbed", []],
  ["k=9999", ["Top k “9999”"]],
  ["k=-1", ["Top k “-1”"]],
  ["k=100&looks=bars+numbers", []],
  ["looks=bars+foo", ["View “foo”"]],
  ["xs=5~1", ["Scatter"]],
  ["typed=%7B", ["Typed text"]],
  ["typed=tab", []],
  [`by=${"9".repeat(99)}`, [`Number of the run “${"9".repeat(39)}…”`]],
])
  test(`of “${query.slice(0, 60)}” what is gone is named`, () => assert.deepEqual(goneOf(of(query), GIVEN), gone));

test("what is shown in the place of what is gone is said behind it", () =>
  assert.equal(goneWords(["run 9"], ["All texts are listed."]), "Not found, so ignored: run 9. All texts are listed."));

test("nothing is said of a link that can be shown as it is", () => assert.equal(goneWords([]), ""));

test("a typed text comes back from an address, and a long one stays in the tab", () => {
  const texts = { premise: "a & b=c #d", hypothesis: "你好" };
  assert.deepEqual(typedOf(typedText(texts)), texts);
  assert.equal(typedText({ text: "x".repeat(5000) }), IN_THIS_TAB);
});

for (const hostile of ["", "7", "null", "[]", '{"a":1}', "{", '{"a":{"b":"c"}}'])
  test(`“${hostile}” is no typed text`, () => assert.equal(typedOf(hostile), null));

test("people are named by the numbers on the screen", () => {
  assert.deepEqual(drawnOf(of("drawn=1,3")), [0, 2]);
  assert.deepEqual(drawnOf(of("drawn=0,-1,x,99999")), []);
  assert.equal(drawnOf(of("")), null);
});

test("a link is copied where the browser lets a page copy", async () => {
  const copied = [];
  Object.defineProperty(globalThis, "navigator", {
    value: { clipboard: { writeText: async (text) => copied.push(text) } },
    configurable: true,
  });
  assert.equal(await copyLink({}, "http://a/b?c"), true);
  assert.deepEqual(copied, ["http://a/b?c"]);
});

const CHOICES = [
  { run: 2, layers: [], labels: ["positive", "a:b"] },
  { run: 17, layers: [0, 2], labels: ["positive"] },
];
for (const [panels, kept, gone] of [
  [["2:-:a:b", "17:2:positive", "17:-:"], ["2:-:a:b", "17:2:positive", "17:-:"], []],
  [["17:7:nosuch"], ["17:-:"], ["Layer “7” (run 17)", "Label “nosuch” (run 17)"]],
  [
    ["17:0:nosuch", "2:1:positive"],
    ["17:0:", "2:-:positive"],
    ["Label “nosuch” (run 17)", "Layer “1” (run 2)"],
  ],
  [["5:7:nosuch"], ["5:7:nosuch"], []],
])
  test(`of the maps ${panels} the run's own is shown for a layer and a label that are gone`, () =>
    assert.deepEqual(goneParts(panels, CHOICES), { gone, panels: kept }));
