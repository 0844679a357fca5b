// What a slice of the list is called in its summary.
import assert from "node:assert/strict";
import test from "node:test";
import { wordsOf } from "../../annotator/web/panel/saliency/slices.js";

for (const [query, words] of [
  [{}, ""],
  [{ label: "positive", split: "test" }, "positive · test"],
  [{ unlabelled: "yes", length: "4-9" }, "no label · 4–9 tokens"],
  [{ length: "4-4" }, "4 tokens"],
  [{ fact: "year", value: "2001", group: "age", member: "30" }, "year: 2001 · annotators' age: 30"],
  [{ fact: "year" }, ""],
])
  test(`a slice is called "${words}"`, () => assert.equal(wordsOf(query), words));
