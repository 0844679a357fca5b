/**
 * How the text of a review is looked at. Pure: from a session to what is to be marked.
 *
 * all: the text with every set · alone: one set, the rest faded · less: the set less one token · without: the text with
 * the sets' tokens blanked · changes: what differs from the round before.
 */
import { holds, unionOf } from "../shared/model.js";
import { without } from "../shared/spoken.js";

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
  const [now, then] =
    step.set === null
      ? [unionOf(sets), unionOf(previous.sets.map((spans) => ({ spans })))]
      : [sets[step.set].spans, spansBefore(previous, sets[step.set])];
  return { added: without(now, then), gone: without(then, now) };
}

/**
 * What a set was in the round before; nothing, if it is new.
 * @param {FormerRound} former
 * @param {ReviewedSet} set
 */
const spansBefore = ({ sets }, { previous }) => (previous === null ? [] : sets[previous]);

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
