// What travels between a screen and its routes, in the words of either.
import assert from "node:assert/strict";
import test from "node:test";
import { Messages, isForLater } from "../../annotator/web/panel/shared/messages.js";
import { ReviewMessages } from "../../annotator/web/panel/review/flow.js";

const REVIEW = {
  review: 7,
  revision: 3,
  annotation: 5,
  state: "open",
  scores: { comprehensiveness: 2, comment: "", sets: [] },
};
const SENT = {
  assignment: 7,
  revision: 3,
  draft: REVIEW.scores,
  timing: { first_action_at: "2026-01-31T10:20:00Z", active_ms: 10, idle_ms: 1, edits: 4 },
};

/** Answers every question alike, and remembers what was asked. */
function answering(status, body) {
  const asked = [];
  globalThis.fetch = async (url, options) => {
    asked.push({ url, body: options.body && JSON.parse(options.body) });
    return { status, json: async () => body };
  };
  return asked;
}

test("an address holds what is said, and nothing of what is not", () => {
  const messages = new Messages("/api/panel/", "token");
  assert.equal(
    messages.urlOf("next", { project: 1, instance: null, day: undefined, words: "", page: 0 }),
    "/api/panel/next?project=1&page=0",
  );
});

test("a draft of a review goes out as its scores, with the time alone that reviews keep", async () => {
  const asked = answering(200, { revision: 4 });
  const answer = await new ReviewMessages("/api/review", "token").post("draft", SENT);
  assert.deepEqual(asked, [
    {
      url: "/api/review/save",
      body: { review: 7, revision: 3, scores: REVIEW.scores, timing: { active_ms: 10, idle_ms: 1 } },
    },
  ]);
  assert.deepEqual(answer, { status: 200, body: { revision: 4 } });
});

test("the review that follows a submitted one comes as work with a draft", async () => {
  answering(200, { next: { work: REVIEW, project: null, counts: {}, empty: null } });
  const { body } = await new ReviewMessages("/api/review", "token").post("submit", SENT);
  assert.equal(body.next.work.assignment, 7);
  assert.deepEqual(body.next.work.draft, REVIEW.scores);
});

test("where nothing follows a skipped review there is no work", async () => {
  const asked = answering(200, { next: { work: null, project: null, counts: {}, empty: "Nothing is left." } });
  const { body } = await new ReviewMessages("/api/review", "token").post("skip", SENT);
  assert.deepEqual(asked[0], { url: "/api/review/skip", body: { review: 7 } });
  assert.equal(body.next.work, null);
});

test("a review that another tab has saved comes back as work with a draft, beside the reason", async () => {
  answering(409, { error: "Another tab was faster.", work: REVIEW });
  const answer = await new ReviewMessages("/api/review", "token").post("draft", SENT);
  assert.equal(answer.status, 409);
  assert.equal(answer.body.error, "Another tab was faster.");
  assert.deepEqual(answer.body.work.draft, REVIEW.scores);
});

test("a lost connection is status 0, and what it kept from arriving is tried again", async () => {
  globalThis.fetch = async () => {
    throw new TypeError("no connection");
  };
  const answer = await new Messages("/api/panel", "token").get("next", { project: 1 });
  assert.deepEqual(answer, { status: 0, body: {} });
  assert.deepEqual(
    [0, 401, 429, 500, 503].map((status) => isForLater({ status })),
    [true, true, true, true, true],
  );
  assert.deepEqual(
    [400, 403, 404, 409, 410, 422].some((status) => isForLater({ status })),
    false,
  );
});
