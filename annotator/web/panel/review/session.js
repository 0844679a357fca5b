/**
 * One review while it is on the screen: its scores, which of them is asked for, its time, and how the text is looked
 * at (all: with every set · alone: one set, the rest faded · less: the set less one token · without: with the sets'
 * tokens blanked · changes: what differs from the round before).
 */
import { holds, unionOf } from "../shared/annotation.js";
import { without } from "../shared/naming.js";
import { WorkOnScreen } from "../shared/session.js";
import { nextMissing, sameScores, stepsOf, wholeScores } from "./scores.js";

// ---- How the text is looked at: from a session to what is to be marked

/**
 * @typedef {Object} Picture
 * @property {Array<{spans: Span[]}>} sets
 * @property {(index: number) => import("../shared/marks.js").Look} lookAt
 * @property {boolean} faded  everything outside the sets nearly invisible
 * @property {{out: Span[], added: Span[], gone: Span[], stop: Span[]}} overlays
 */

/**
 * The tokens of a step that are new, and that have gone, since the round before.
 * @param {ReviewSession} given
 * @returns {{added: Span[], gone: Span[]}}
 */
export function changesOf({ work, step }) {
  const { previous, sets } = work;
  if (!previous) return { added: [], gone: [] };
  let [now, then] = [unionOf(sets), unionOf(previous.sets.map((spans) => ({ spans })))];
  if (step.set !== null) {
    const set = sets[step.set];
    [now, then] = [set.spans, set.previous === null ? [] : previous.sets[set.previous]];
  }
  return { added: without(now, then), gone: without(then, now) };
}

/**
 * The places that ← and → go to in a view, in reading order.
 * @param {ReviewSession} session
 * @returns {Span[]}
 */
export function stopsOf(session) {
  const { work, step, view, map } = session;
  const ofStep = step.set === null ? unionOf(work.sets) : work.sets[step.set].spans;
  /** @param {Span[]} spans */
  const inOrder = (spans) => [...spans].sort((a, b) => map.rankOf(a[0]) - map.rankOf(b[0]));
  if (view === "changes") {
    const { added, gone } = changesOf(session);
    return inOrder([...added, ...gone]);
  }
  if (view === "less")
    return inOrder(
      ofStep.flatMap(([start, end]) =>
        Array.from({ length: end - start }, (_, by) => /** @type {Span} */ ([start + by, start + by + 1])),
      ),
    );
  return inOrder(ofStep);
}

/**
 * @param {ReviewSession} session
 * @param {number|null} [hovered]  a set under the pointer
 * @returns {Picture}
 */
export function pictureOf(session, hovered = null) {
  const { work, view, stop, stops, step } = session;
  const place = stop === null || !stops[stop] ? [] : [stops[stop]];
  const changes = view === "changes" ? changesOf(session) : { added: [], gone: [] };
  const isLess = view === "less";
  return {
    sets: isLess
      ? work.sets.map((set, index) => (index === step.set ? { spans: without(set.spans, place) } : set))
      : work.sets,
    lookAt: (index) => lookAt(session, hovered, index),
    faded: view === "alone" || isLess,
    overlays: { out: isLess ? place : [], ...changes, stop: isLess ? [] : place },
  };
}

/** @param {ReviewSession} given @param {number|null} hovered @param {number} index */
function lookAt({ view, step, pinned }, hovered, index) {
  if (view === "alone" || view === "less") return index === step.set ? "alone" : "away";
  if (view === "without") return "hidden";
  if (hovered !== null && index !== hovered) return "dim";
  const lit = hovered ?? pinned ?? step.set;
  if (view === "changes" && step.set !== null && index !== lit) return "dim";
  return index === lit ? "current" : "other";
}

/**
 * Whether a token belongs to the set of the step.
 * @param {ReviewSession} given
 * @param {number} token
 */
export const isInSet = ({ work, step }, token) => step.set !== null && holds(work.sets[step.set].spans, token);

/** @typedef {"all"|"alone"|"less"|"without"|"changes"} View */

/** @type {Record<ScoreName, View>}  the view that each is scored in */
const OWN_VIEWS = { sufficiency: "alone", compactness: "less", comprehensiveness: "without" };

/** @extends {WorkOnScreen<ReviewWork, ReviewProject>} */
export class ReviewSession extends WorkOnScreen {
  /** @param {ReviewWork} work  the server's review object (flow.js) @param {ReviewProject|null} project */
  constructor(work, project) {
    super(work, project);
    this.steps = stepsOf(work);
    this.scores = wholeScores(work.draft, work.sets.length);
    /** Which step is asked for. */
    this.at = 0;
    /** @type {number|null}  a set that is only looked at */
    this.pinned = null;
    /** @type {number|null|undefined}  the set, or null the whole, whose low score was just given */
    this.explained = undefined;
    /** @type {View} */
    this.view = "all";
    /** @type {Span[]}  the places that one steps through in the view, and at which one stands */
    this.stops = [];
    /** @type {number|null} */
    this.stop = null;
    this.goTo(Math.max(0, nextMissing(this.steps, this.scores)));
  }

  get id() {
    return this.work.review;
  }

  /** What one asks the server for to see this again. */
  get opens() {
    return this.work.annotation;
  }

  /** What is saved; the outbox calls it so. */
  get draft() {
    return this.scores;
  }

  get result() {
    return this.work.result;
  }

  get submitted() {
    return this.work.state === "submitted";
  }

  /** The word for changes that are not on their way: a person has to do something first. */
  /** @returns {"held"|"unsent"|null} */
  get unsaved() {
    if (this.held || (this.problem && this.dirty)) return "held";
    return this.submitted && this.dirty ? "unsent" : null;
  }

  /** Whether scores may be given. */
  get open() {
    return this.work.state !== "decided" && !this.leaving && !this.problem?.ended;
  }

  /** @returns {import("./scores.js").Step} */
  get step() {
    return this.steps[this.at];
  }

  /**
   * Goes to a step, with the view of the text that it is scored in.
   * @param {number} at
   */
  goTo(at) {
    this.at = at;
    this.pinned = null;
    this.look(this.#ownView());
  }

  /** What is decided, or has no rationale, is shown as it is. @returns {View} */
  #ownView() {
    if (this.work.state === "decided" || !this.work.sets.length) return "all";
    return OWN_VIEWS[this.step.property];
  }

  /** Looks at the text in another way. @param {View} view */
  look(view) {
    this.view = view;
    // In the view that takes one token out there is always one that is out.
    this.stop = view === "less" ? 0 : null;
    this.stops = stopsOf(this);
  }

  /** The views that there are for this step. @returns {View[]} */
  get views() {
    const { sets, previous } = this.work;
    /** @type {View[]} */
    const views = ["all"];
    if (this.step.set !== null) views.push("alone", "less");
    if (sets.length) views.push("without");
    if (previous) views.push("changes");
    return views;
  }

  /** Changes the scores. @param {Scores} scores @returns {boolean} whether they are others now */
  set(scores) {
    if (scores === this.scores) return false;
    this.scores = scores;
    this.version += 1;
    this.clock.edit();
    return true;
  }

  /** Takes over scores that come from elsewhere. @param {Scores} scores */
  load(scores) {
    if (sameScores(scores, this.scores)) return;
    this.scores = wholeScores(scores, this.work.sets.length);
    this.version += 1;
  }
}
