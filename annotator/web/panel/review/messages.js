/**
 * The routes of docs/review.md for the parts that send and keep work (saving.js, leftovers.js, work_flow.js). Those say
 * "draft" and "assignment"; here a draft is all that has been scored, and the assignment is the review.
 */
import { Messages } from "../shared/messages.js";

export class ReviewMessages extends Messages {
  async next(project, annotation) {
    return translated(await this.get("next", { project, annotation }));
  }

  async post(kind, { assignment, revision, draft, timing }) {
    if (kind === "skip") return translated(await super.post("skip", { review: assignment }));
    const { active_ms, idle_ms } = timing;
    const body = { review: assignment, revision, scores: draft, timing: { active_ms, idle_ms } };
    return translated(await super.post(kind === "draft" ? "save" : kind, body));
  }
}

function translated(answer) {
  const { work, next } = answer.body;
  if (work) answer.body.work = workOf(work);
  if (next?.work) next.work = workOf(next.work);
  return answer;
}

const workOf = (work) => ({ ...work, assignment: work.review, draft: work.scores });
