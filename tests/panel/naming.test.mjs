// What a text is called in the tab's title and the headings: what is asked of it, else its key, else its first words.
import assert from "node:assert/strict";
import test from "node:test";
import { firstWords, isMachineKey, nameOf } from "../../annotator/web/panel/shared/naming.js";

const ABSTRACT = { name: "document", selectable: true, text: "We studied four hundred patients." };
const CLAIM = { name: "query", selectable: false, text: "The drug lowers blood pressure." };
const AS_SALIENCY_HAS_IT = {
  name: "query",
  is_selectable: false,
  tokens: ["The", "drug", "helps"],
  before: ["", " ", " "],
};

for (const [why, segments, name] of [
  ["a claim", [ABSTRACT, CLAIM], CLAIM.text],
  ["an empty claim", [ABSTRACT, { ...CLAIM, text: " " }], "c-17"],
  ["no claim", [ABSTRACT], "c-17"],
  [
    "a hypothesis that can be marked",
    [
      { ...ABSTRACT, name: "premise" },
      { ...CLAIM, name: "hypothesis", selectable: true },
    ],
    CLAIM.text,
  ],
  [
    "choices",
    [
      { ...ABSTRACT, name: "text" },
      { ...CLAIM, name: "choices" },
    ],
    "c-17",
  ],
  ["a claim that is cut at its tokens", [AS_SALIENCY_HAS_IT], "The drug helps"],
]) {
  test(`a text is called by what is asked of it, else by its key: ${why}`, () => {
    assert.equal(nameOf({ key: "c-17", segments }), name);
  });
}

test("nobody knows a text by a key that a machine made, so its first words name it", () => {
  const key = "0f8fad5b-d9cb-469f-a165-70867728950e";
  assert.ok(isMachineKey(key) && isMachineKey(`${key.replaceAll("-", "")}~negated`));
  assert.equal(nameOf({ key, segments: [ABSTRACT] }), ABSTRACT.text);
  assert.equal(isMachineKey("sentiment-en-05"), false);
});

test("first words are whole words, or whole characters where words are not parted", () => {
  assert.equal(firstWords("The drug lowers blood pressure.", 12), "The drug…");
  assert.equal(firstWords("饭店的服务非常好而且价格便宜", 5), "饭店的服务…");
});
