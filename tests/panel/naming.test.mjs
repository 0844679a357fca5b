// How things are named: a text by what is asked of it, else by its key or first words; words with their number.
import assert from "node:assert/strict";
import test from "node:test";
import {
  counted,
  firstWords,
  isMachineKey,
  nameOf,
  quoted,
  within,
  without,
} from "../../annotator/web/panel/shared/naming.js";
import { TokenMap } from "../../annotator/web/panel/shared/tokens.js";

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

test("of many words the first and the last are said", () => {
  const words = Array.from({ length: 80 }, (_, place) => `word${place}`);
  const starts = words.map((_, place) => words.slice(0, place).join(" ").length + Number(place > 0));
  const ends = words.map((word, place) => starts[place] + word.length);
  const segment = { name: "text", title: "Text", selectable: true, text: words.join(" "), starts, ends };
  const map = new TokenMap({ segments: [segment], target: null });
  assert.match(quoted(map, [[0, 80]]), /^“word0 word1 .*… word79”$/);
  assert.equal(quoted(map, [[0, 2]]), "“word0 word1”");
});

test("numbers are said with their noun, in the singular for one alone", () => {
  assert.deepEqual(
    [0, 1, 1200].map((count) => counted(count, "word")),
    ["0 words", "1 word", "1,200 words"],
  );
});

test("what is new in a set is what it did not hold before", () => {
  assert.deepEqual(without([[0, 5]], [[1, 3]]), [
    [0, 1],
    [3, 5],
  ]);
  assert.deepEqual(
    within(
      [[0, 5]],
      [
        [1, 3],
        [4, 9],
      ],
    ),
    [
      [1, 3],
      [4, 5],
    ],
  );
});
