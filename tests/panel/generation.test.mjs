/** What is said of the model's model's quotes of a model that are not in a text. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { boxedWords, missingQuotes, missingWords } from "../../annotator/web/panel/saliency/generation.js";

test("the number of missing quotes agrees with its verb", () => {
  assert.equal(missingWords({ n: 1, n_missing: 1, missing: ["a"] }), "None of the model's quotes is in the text");
  assert.equal(missingWords({ n: 3, n_missing: 1, missing: ["a"] }), "1 of the model's 3 quotes is not in the text");
  assert.equal(missingWords({ n: 3, n_missing: 2, missing: [] }), "2 of the model's 3 quotes are not in the text");
  assert.equal(missingWords({ n: 3, n_missing: 3, missing: [] }), "None of the model's quotes is in the text");
});

test("nothing is said where every quote is in the text, or where there are none", () => {
  assert.equal(missingQuotes({ quotes: null }), null);
  assert.equal(missingQuotes({ quotes: { n: 2, n_missing: 0, missing: [] } }), null);
});

test("boxes are quotes where a model quoted, else what was selected", () => {
  assert.equal(boxedWords({ quotes: null }), "selected tokens are boxed");
  assert.equal(boxedWords({ quotes: { n: 0, n_missing: 0, missing: [] } }), "what the model quoted is boxed");
});
