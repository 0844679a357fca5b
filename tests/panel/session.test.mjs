// A piece of work while it is on the screen: the history of its states.
import assert from "node:assert/strict";
import test from "node:test";
import { addSpans, setNote, stateFrom } from "../../annotator/web/panel/shared/annotation.js";
import { History } from "../../annotator/web/panel/shared/session.js";

test("undo and redo lead back and forth, and leave the note as it is now", () => {
  const history = new History(stateFrom({ sets: [] }));
  history.push(addSpans(history.present, [[0, 2]]));
  history.replace(setNote(history.present, "why"));
  assert.ok(history.undo());
  assert.deepEqual([history.present.sets.map(({ spans }) => spans), history.present.note], [[[]], "why"]);
  assert.ok(history.redo());
  assert.deepEqual(
    history.present.sets.map(({ spans }) => spans),
    [[[0, 2]]],
  );
  assert.equal(history.redo(), false);
});
