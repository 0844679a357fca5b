// The end of a visit by a crowd door: at the quota, or when the time is up.
import assert from "node:assert/strict";
import test from "node:test";
import { CrowdVisit } from "../../annotator/web/panel/annotate/flow.js";

const MINUTE_MS = 60 * 1000;

function visit() {
  const went = [];
  const heard = [];
  return {
    went,
    heard,
    made: new CrowdVisit({ say: (sentence) => heard.push(sentence), go: (address) => went.push(address) }),
  };
}

test("counts of somebody who came in by no door begin nothing", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { made, went, heard } = visit();
  made.note({ returned: 0, open: 1, waiting: 3, submitted: 2, skipped: 0 });
  context.mock.timers.tick(1000 * MINUTE_MS);
  assert.deepEqual([made.isOne, made.isDone, went, heard], [false, false, [], []]);
});

test("at the quota the visit is done, and its end is shown once", () => {
  const { made, went } = visit();
  made.note({ quota: 2, done: 1, seconds_left: 600 });
  assert.equal(made.isDone, false);
  made.note({ quota: 2, done: 2, seconds_left: 590 });
  assert.equal(made.isDone, true);
  made.end();
  made.end();
  assert.deepEqual(went, ["/crowd/end"]);
});

test("five minutes before the end it is said, and at the end the last save has time to arrive", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { made, went, heard } = visit();
  made.note({ quota: 2, done: 0, seconds_left: 600 });
  context.mock.timers.tick(5 * MINUTE_MS);
  assert.equal(heard.length, 1);
  context.mock.timers.tick(5 * MINUTE_MS);
  assert.equal(heard.length, 2);
  assert.deepEqual(went, []);
  context.mock.timers.tick(2000);
  assert.deepEqual(went, ["/crowd/end"]);
});

test("each message sets the clock anew", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { made, went } = visit();
  made.note({ quota: 2, done: 0, seconds_left: 60 });
  context.mock.timers.tick(0.5 * MINUTE_MS);
  made.note({ quota: 2, done: 1, seconds_left: 60 });
  context.mock.timers.tick(0.75 * MINUTE_MS);
  assert.deepEqual(went, []);
});
