/**
 * The routes of docs/review.md for the parts that send and keep work (saving.js, leftovers.js, work_flow.js). Those say
 * "draft" and "assignment"; here a draft is all that has been scored, and the assignment is the review.
 */
import { Messages } from "../shared/messages.js";

/** @typedef {{assignment: number, revision: number, draft: Scores, timing: Timing}} Sent  what those send */

export class ReviewMessages {
  /** @param {string} routes @param {string} csrf */
  constructor(routes, csrf) {
    /** @type {Messages<ReviewRoutes, Review>} */
    this.messages = new Messages(routes, csrf);
  }

  /** @param {string} csrf */
  set csrf(csrf) {
    this.messages.csrf = csrf;
  }

  /** @param {number} project @param {number|null} annotation @returns {Promise<Answer<NextReview, ReviewWork>>} */
  async next(project, annotation) {
    const answer = await this.messages.get("next", { project, annotation });
    return answer.status === 200 ? { ...answer, body: nextOf(answer.body) } : refusalOf(answer);
  }

  /** @param {number} project @param {import("../shared/own_list.js").Asked} asked */
  mine(project, asked) {
    return this.messages.get("mine", { project, ...asked });
  }

  /**
   * @param {import("../shared/saving.js").JobKind} kind
   * @param {Sent} sent
   * @returns {Promise<Answer<Saved, ReviewWork>>}
   */
  async post(kind, { assignment, revision, draft, timing }) {
    if (kind === "skip") return goneOf(await this.messages.post("skip", { review: assignment }));
    const { active_ms, idle_ms } = timing;
    const body = { review: assignment, revision, scores: draft, timing: { active_ms, idle_ms } };
    if (kind === "submit") return goneOf(await this.messages.post("submit", body));
    const answer = await this.messages.post("save", body);
    return answer.status === 200 ? answer : refusalOf(answer);
  }
}

/** @param {Review} work @returns {ReviewWork} */
const workOf = (work) => ({ ...work, assignment: work.review, draft: work.scores });

/** @param {NextReview<Review>} next @returns {NextReview} */
const nextOf = (next) => ({ ...next, work: next.work && workOf(next.work) });

/**
 * @param {{status: Refused, body: Refusal<Review>}} answer
 * @returns {{status: Refused, body: Refusal<ReviewWork>}}
 */
const refusalOf = ({ status, body: { work, ...body } }) => ({
  status,
  body: work ? { ...body, work: workOf(work) } : body,
});

/** @param {Answer<{next: NextReview<Review>}, Review>} answer @returns {Answer<Saved, ReviewWork>} */
const goneOf = (answer) =>
  answer.status === 200 ? { ...answer, body: { next: nextOf(answer.body.next) } } : refusalOf(answer);
