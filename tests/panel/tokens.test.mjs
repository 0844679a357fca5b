// The numberings of a text's tokens: by index, by character, and in the order in which one reads.
import assert from "node:assert/strict";
import test from "node:test";
import { TokenMap, directionOf, lowerBound } from "../../annotator/web/panel/shared/tokens.js";

/** A segment whose tokens are its words. */
function segment(text, more = {}) {
  const words = [...text.matchAll(/\S+/g)];
  const starts = words.map((word) => word.index);
  return {
    name: "text",
    title: "Text",
    selectable: true,
    text,
    starts,
    ends: words.map((word) => word.index + word[0].length),
    ...more,
  };
}

const READING = {
  segments: [
    segment("It rained. Then it stopped.", { name: "passage", sentences: [0, 2] }),
    segment("The weather", { name: "title" }),
    segment("Did it rain?", { name: "question", selectable: false }),
  ],
  target: null,
};

test("the first value that is at least the wanted one is found, or one past the last", () => {
  assert.deepEqual(
    [0, 2, 3, 9].map((wanted) => lowerBound([1, 2, 5], wanted)),
    [0, 1, 2, 3],
  );
});

test("a title is read before its passage, though its tokens are numbered after it", () => {
  const map = new TokenMap(READING);
  assert.deepEqual(map.order, [2, 1, 0]);
  assert.deepEqual(
    [0, 1, 2].map((rank) => map.textOf([map.tokenAtRank(rank), map.tokenAtRank(rank) + 1])),
    ["The", "weather", "It"],
  );
  assert.equal(map.rankOf(map.tokenAtRank(4)), 4);
  assert.equal(map.rankOf(7), -1); // of the question, where nothing can be marked
});

test("a drag over two segments gives a span in each", () => {
  assert.deepEqual(new TokenMap(READING).spansBetween(3, 1), [
    [0, 2],
    [6, 7],
  ]);
});

test("the words of the target are never among those that are marked", () => {
  const map = new TokenMap({ segments: [segment("one two three four")], target: [1, 2] });
  assert.deepEqual(map.spansBetween(0, 3), [
    [0, 1],
    [2, 4],
  ]);
  assert.equal(map.selectableCount, 3);
});

test("between two words there is no token, and the next one is named", () => {
  const map = new TokenMap({ segments: [segment("ab  cd")], target: null });
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((char) => map.tokenAt(0, char)),
    [0, 0, -1, -1, 1],
  );
  assert.equal(map.tokenAfter(0, 2), 1);
});

test("words make a span only where tokens begin and end", () => {
  const map = new TokenMap({ segments: [segment("big red barn")], target: null });
  assert.deepEqual(map.spanAt(0, 4, 12), [1, 3]);
  assert.equal(map.spanAt(0, 5, 12), null);
});

test("the sentence of a token ends where the next one begins", () => {
  const map = new TokenMap(READING);
  assert.deepEqual(
    [map.sentenceOf(1), map.sentenceOf(2)],
    [
      [0, 2],
      [2, 5],
    ],
  );
});

test("a text runs as it is plainly written, else as its language does", () => {
  assert.equal(directionOf("A question in English about it", "rtl"), "ltr");
  assert.equal(directionOf("هذا نص عربي", undefined), "rtl");
  assert.equal(directionOf("12 + 3", "rtl"), "rtl");
});
