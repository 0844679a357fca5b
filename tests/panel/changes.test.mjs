// The runs of a changed text, each given to the segment that it belongs to.
import assert from "node:assert/strict";
import test from "node:test";
import { runsBySegment } from "../../annotator/web/panel/perturb/changes.js";

const segments = (...lengths) => {
  let first = 0;
  return lengths.map((length) => {
    const made = { first, tokens: Array(length).fill("word") };
    first += length;
    return made;
  });
};

test("each run stands in the segment that holds its tokens", () => {
  const runs = [
    ["kept", 0, 2, 0, 2],
    ["replaced", 2, 3, 2, 4],
    ["kept", 3, 5, 4, 6],
  ];
  assert.deepEqual(runsBySegment(segments(3, 2), segments(4, 2), runs), [runs.slice(0, 2), runs.slice(2)]);
});

test("what is put in at the end of a segment stands there and not in the next one", () => {
  const runs = [
    ["kept", 0, 2, 0, 2],
    ["inserted", 2, 2, 2, 3],
    ["kept", 2, 4, 3, 5],
  ];
  assert.deepEqual(runsBySegment(segments(2, 2), segments(3, 2), runs), [runs.slice(0, 2), runs.slice(2)]);
});

test("a segment that was emptied holds what was deleted, and an empty one holds nothing", () => {
  const runs = [
    ["deleted", 0, 2, 0, 0],
    ["kept", 2, 3, 0, 1],
  ];
  assert.deepEqual(runsBySegment(segments(2, 0, 1), segments(0, 0, 1), runs), [runs.slice(0, 1), [], runs.slice(1)]);
});
