// The annotation that is being made: states, and what is sent of them.
import assert from "node:assert/strict";
import test from "node:test";
import * as model from "../../annotator/web/panel/shared/annotation.js";

const started = (sets = [], more = {}) => model.stateFrom({ sets, ...more });
const spansOf = (state) => state.sets.map((set) => set.spans);

test("an empty draft begins with one empty set, and sends none", () => {
  const state = started();
  assert.deepEqual(spansOf(state), [[]]);
  assert.deepEqual(model.draftOf(state).sets, []);
});

test("spans that touch at their source stay apart, and those that overlap become one", () => {
  assert.deepEqual(
    spansOf(
      started([
        [
          [4, 6],
          [0, 2],
          [2, 4],
          [5, 8],
        ],
      ]),
    ),
    [
      [
        [0, 2],
        [2, 4],
        [4, 8],
      ],
    ],
  );
});

test("a mark swallows what it touches within its segment, and nothing beyond it", () => {
  const sameSegment = (a, b) => a < 5 === b < 5;
  assert.deepEqual(
    model.joinSpan(
      [
        [0, 2],
        [5, 6],
      ],
      [2, 5],
      sameSegment,
    ),
    [
      [0, 5],
      [5, 6],
    ],
  );
  assert.deepEqual(
    model.joinSpan(
      [
        [0, 2],
        [5, 6],
      ],
      [2, 5],
    ),
    [[0, 6]],
  );
});

test("a mark that changes nothing gives back the very same spans and the very same state", () => {
  const spans = [[0, 4]];
  assert.equal(model.joinSpan(spans, [1, 2]), spans);
  const state = started([spans]);
  assert.equal(model.addSpans(state, [[1, 2]]), state);
  assert.equal(model.setNote(state, ""), state);
});

test("erasing in the middle of a span leaves its two ends", () => {
  assert.deepEqual(spansOf(model.removeSpans(started([[[0, 6]]]), [[2, 4]])), [
    [
      [0, 2],
      [4, 6],
    ],
  ]);
});

test("a new set is not made beside an empty one", () => {
  const state = model.newSet(started([[[0, 1]]]));
  assert.equal(state.sets.length, 2);
  assert.equal(model.newSet(state).sets.length, 2);
});

test("a set that was cleared is sent as empty until it is removed", () => {
  const cleared = model.clearSet(started([[[0, 1]], [[2, 3]]]));
  assert.deepEqual(model.draftOf(cleared).sets, [[], [[2, 3]]]);
  assert.deepEqual(model.draftOf(model.clearSet(cleared)).sets, [[[2, 3]]]);
});

test("a correction sends the origins of its sets, and first work sends none", () => {
  const correction = started([[[0, 1]], [[2, 3]]], { origins: [1, null] });
  assert.deepEqual(model.draftOf(correction).origins, [1, null]);
  assert.equal("origins" in model.draftOf(started([[[0, 1]]])), false);
});

test("a passed set is locked by its origin until it is unlocked, which is sent", () => {
  const locked = model.stateFrom({ sets: [[[0, 1]], [[2, 3]]], origins: [1, 0] }, { locked: [0] });
  assert.deepEqual(
    locked.sets.map((set) => set.locked),
    [false, true],
  );
  const unlocked = model.unlockSet(locked, 1);
  assert.equal(unlocked.sets[1].locked, false);
  assert.deepEqual(model.draftOf(unlocked).unlocked, [0]);
});

test("two drafts are the same whatever fields they leave out, and never the same as none", () => {
  assert.ok(
    model.sameDraft(
      {
        sets: [
          [
            [2, 3],
            [0, 1],
          ],
          [],
        ],
      },
      {
        sets: [
          [
            [0, 1],
            [2, 3],
          ],
        ],
        note: "",
        result: null,
      },
    ),
  );
  assert.equal(model.sameDraft({ sets: [] }, { sets: [], note: "why" }), false);
  assert.equal(model.sameDraft(null, null), false);
});

const RULES = { result_kind: "label", result_mode: "contest", may_be_empty: false };

for (const [state, error, set] of [
  [started([[[0, 1]]]), "Choose a label first (l).", null],
  [started([], { result: "B" }), "Nothing is marked.", 0],
  [started([[[0, 1]], []], { result: "B" }), "Set B is empty. Remove it.", 1],
  [
    started(
      [
        [[0, 2]],
        [
          [0, 1],
          [1, 2],
        ],
      ],
      { result: "B" },
    ), // cut in another way, the same tokens
    "Sets A and B are identical. Change one.",
    1,
  ],
]) {
  test(`what cannot be submitted is said with its set: ${error}`, () => {
    assert.deepEqual(model.problemOf(state, RULES), { error, set });
  });
}

test("that a text holds no answer needs no rationale", () => {
  const none = model.setNoAnswer(started(), true);
  assert.equal(model.problemOf(none, { ...RULES, result_kind: "answer" }), null);
});

test("after the set Z come sets with numbers", () => {
  assert.deepEqual([0, 25, 26, 27].map(model.letterOf), ["A", "Z", "Z2", "Z3"]);
});
