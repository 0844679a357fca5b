// How sets are told apart without colour: by the style and the place of their lines.
import assert from "node:assert/strict";
import test from "node:test";
import { SETS_WITH_LOOKS, faint, laneOf, lookOf } from "../../annotator/web/panel/shared/set_styles.js";

const SETS = Array.from({ length: SETS_WITH_LOOKS }, (_, set) => set);

for (const dark of [false, true]) {
  test(`each set has a colour of its own in the ${dark ? "dark" : "light"} theme`, () => {
    assert.equal(new Set(SETS.map((set) => lookOf(set, dark).color)).size, SETS.length);
  });
}

test("no two sets have their line at the same height, and all heights fit below the words", () => {
  for (const count of SETS.map((set) => set + 1)) {
    const lanes = SETS.slice(0, count).map((set) => laneOf(set, count));
    assert.equal(new Set(lanes).size, count);
    assert.ok(Math.max(...lanes) <= 19.0001, `${count} sets: ${lanes}`);
  }
});

test("with more than five sets no line is broader than the room for it", () => {
  for (const set of SETS) assert.ok(["solid", "dashed", "dotted"].includes(lookOf(set, false, 6).style));
});

test("after the last look the first one comes again", () => {
  assert.deepEqual(lookOf(SETS_WITH_LOOKS, false), lookOf(0, false));
});

test("a colour with an opacity has two digits for it", () => {
  assert.deepEqual(
    [0, 0.06, 1].map((opacity) => faint("#112233", opacity)),
    ["#11223300", "#1122330f", "#112233ff"],
  );
});
