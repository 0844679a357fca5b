// What changes from a stored text to a typed one, and what this tab keeps of it.
import assert from "node:assert/strict";
import test from "node:test";
import {
  TypedMemory,
  answerWords,
  countsOf,
  differencesOf,
  differenceWords,
} from "../../annotator/web/panel/saliency/typed_text.js";

const answer = (label, p) => ({ label, probabilities: { [label]: p, other: 1 - p } });
const texts = { aligned: [0, null, 2], own: ["good", "warm", "soup"], typed: ["good", "very", "soup"] };

test("the probability of the stored answer is followed, and another answer is named", () => {
  assert.equal(answerWords(answer("a", 0.91), answer("a", 0.72)), "a 91 % → 72 % (−19 points)");
  assert.equal(answerWords(answer("a", 0.5), answer("a", 0.501)), "a 50 % → 50 % (no change)");
  const turned = { label: "b", probabilities: { a: 0.2, b: 0.8 } };
  assert.equal(answerWords(answer("a", 0.91), turned), "a 91 % → 20 % (−71 points), now b");
  assert.equal(answerWords(null, turned), "");
});

test("a model that gives no probability of the stored answer is told by its answers alone", () => {
  const said = (label) => ({ label, probabilities: {} });
  assert.equal(answerWords(said("Paris"), said("Rome")), "Paris → Rome");
});

test("tokens that both texts have are compared, the largest change first", () => {
  const before = { label: "a", scores: [0.1, 0.5, 0.3] };
  const after = { label: "a", scores: [0.2, 0.9, -0.3] };
  const found = differencesOf(before, after, texts);
  assert.deepEqual(
    found.map(({ word }) => word),
    ["soup", "good"],
  );
  assert.equal(differenceWords(found[0]), "+0.300 → −0.300 (−0.600)");
});

test("maps of two labels, or without scores, are not compared, and equal scores are no difference", () => {
  const before = { label: "a", scores: [0.1, 0.5, 0.3] };
  assert.equal(differencesOf(before, { ...before, label: "b" }, texts), null);
  assert.equal(differencesOf(before, { label: "a", scores: null }, texts), null);
  assert.deepEqual(differencesOf(before, before, texts), []);
});

test("a token in the place of another one is new, and the other is gone", () => {
  assert.deepEqual(countsOf(texts), { added: 1, gone: 1 });
  const replaced = { aligned: [0], own: ["good", "soup"], typed: ["Good"] };
  assert.deepEqual(countsOf(replaced), { added: 1, gone: 2 });
});

function storageOf(kept = {}) {
  return { getItem: (key) => kept[key] ?? null, setItem: (key, value) => (kept[key] = value), kept };
}

test("what is typed is there again for the same person and project, and for nobody else", () => {
  const storage = storageOf();
  new TypedMemory(3, 1, storage).set(7, { text: "so" });
  assert.deepEqual(new TypedMemory(3, 1, storage).get(7), { text: "so" });
  assert.equal(new TypedMemory(4, 1, storage).get(7), undefined);
  assert.equal(new TypedMemory(3, 2, storage).get(7), undefined);
});

for (const broken of ["{", "7", '{"a":1}', "[[1,2]]"])
  test(`a storage that holds “${broken}” begins with nothing`, () =>
    assert.equal(new TypedMemory(3, 1, storageOf({ "annotator:typed:3:1": broken })).texts.size, 0));

test("a full storage does not stop the typing", () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error("full");
    },
  };
  const memory = new TypedMemory(3, 1, full);
  memory.set(7, { text: "so" });
  assert.deepEqual(memory.get(7), { text: "so" });
});
