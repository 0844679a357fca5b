/**
 * The annotation that is being made: immutable states, and plain functions from state to state; their history is in
 * session.js. No DOM, no network. Functions that change nothing return the very state they were given,
 * so that "did something change?" is one comparison and unchanged sets are shared between states.
 */
import { _ } from "../words/language.js";

/** @typedef {import("./tokens.js").Span} Span */
/**
 * @typedef {Object} RationaleSet
 * @property {Span[]} spans      sorted, without overlap; touching spans that came from the server stay apart
 * @property {number} size       number of tokens
 * @property {boolean} touched   whether it ever held a token
 * @property {number|null} origin  its index in the work object, or (of a correction) in the round before; null if it is
 *   new
 * @property {boolean} locked
 */
/**
 * @typedef {Object} State
 * @property {RationaleSet[]} sets   at least one, except where the project has only labels
 * @property {number} current
 * @property {string|null} result
 * @property {string} note
 * @property {boolean} noRationale
 * @property {number[]} unlocked     origins of sets that were unlocked
 * @property {Record<number, string>|null} proposed  what was said of proposed sets, by their numbers; null where none
 *   can be
 * @property {boolean} corrects      whether the work goes on from an earlier round: then origins are sent with the sets
 * @param {number} index
 */

export const letterOf = (index) => (index < 26 ? String.fromCharCode(65 + index) : `Z${index - 24}`);

/** @param {Span[]} spans */
export const sizeOf = (spans) => spans.reduce((sum, [start, end]) => sum + end - start, 0);

/**
 * @param {Span[]} spans
 * @param {{touched?: boolean, origin?: number|null, locked?: boolean}} [more]
 * @returns {RationaleSet}
 */
function makeSet(spans, { touched = spans.length > 0, origin = null, locked = false } = {}) {
  return { spans, size: sizeOf(spans), touched, origin, locked };
}

const emptySet = () => makeSet([]);

/**
 * Sorts, and joins what overlaps; spans that merely touch were two spans at their source and stay so.
 * @param {Span[]} spans
 */
function tidy(spans) {
  const sorted = spans.filter(([start, end]) => start < end).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  /** @type {Span[]} */
  const kept = [];
  for (const [start, end] of sorted) {
    const last = kept[kept.length - 1];
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else kept.push([start, end]);
  }
  return kept;
}

/**
 * @param {Partial<Draft>} draft
 * @param {{locked?: number[], labelsOnly?: boolean, unlocked?: number[], proposes?: boolean}} [rules]
 * @returns {State}
 */
export function stateFrom(draft, { locked = [], labelsOnly = false, unlocked = [], proposes = false } = {}) {
  const given = draft.sets || [];
  const corrects = Boolean(draft.origins?.length);
  const sets = given.map((spans, index) => {
    const origin = corrects ? (draft.origins?.[index] ?? null) : index;
    return makeSet(tidy(spans), {
      touched: true,
      origin,
      locked: origin !== null && locked.includes(origin) && !unlocked.includes(origin),
    });
  });
  if (!sets.length && !labelsOnly) sets.push(emptySet());
  const open = sets.findIndex((set) => !set.locked);
  return {
    sets,
    current: Math.max(0, open),
    result: draft.result ?? null,
    note: draft.note || "",
    noRationale: Boolean(draft.no_rationale),
    unlocked: [...unlocked],
    corrects,
    proposed: proposes ? { ...draft.proposed } : null,
  };
}

/**
 * What is sent: trailing sets that nobody ever marked are left out.
 * @param {State} state
 */
export function draftOf(state) {
  const sets = [...state.sets];
  while (sets.length && !sets[sets.length - 1].size && !sets[sets.length - 1].touched) sets.pop();
  /** @type {Draft} */
  const draft = {
    result: state.result,
    sets: sets.map((set) => set.spans),
    note: state.note,
    no_rationale: state.noRationale,
  };
  if (state.corrects) draft.origins = sets.map((set) => set.origin);
  if (state.unlocked.length) draft.unlocked = state.unlocked;
  if (state.proposed) draft.proposed = state.proposed;
  return draft;
}

/**
 * Whether two drafts say the same (key order and missing fields aside).
 * @param {Draft|null|undefined} a
 * @param {Draft|null|undefined} b
 */
export function sameDraft(a, b) {
  /** @param {Partial<Draft>} draft */
  const plain = (draft) =>
    JSON.stringify([
      draft.result ?? null,
      (draft.sets || []).map(tidyCopy).filter((spans) => spans.length),
      draft.note || "",
      Boolean(draft.no_rationale),
      draft.proposed || {},
    ]);
  return a && b ? plain(a) === plain(b) : false;
}

/** @param {Span[]} spans */
export const tidyCopy = (spans) => tidy(spans.map(([start, end]) => [start, end]));

/**
 * Spans with one more: it swallows what it overlaps or touches within `same` (a test for one segment).
 * @param {Span[]} spans
 * @param {Span} added
 * @param {(a: number, b: number) => boolean} [same]
 * @returns {Span[]}
 */
export function joinSpan(spans, added, same = () => true) {
  let [start, end] = added;
  const before = [];
  const after = [];
  for (const span of spans) {
    if (span[1] < start || (span[1] === start && !same(span[0], start))) before.push(span);
    else if (span[0] > end || (span[0] === end && !same(span[0], start))) after.push(span);
    else if (span[0] <= start && span[1] >= end) return spans;
    else [start, end] = [Math.min(start, span[0]), Math.max(end, span[1])];
  }
  return [...before, [start, end], ...after];
}

/** @param {Span[]} spans */
const withLength = (spans) => spans.filter(([from, to]) => from < to);

/**
 * Spans without the tokens of another span.
 * @param {Span[]} spans
 * @param {Span} cut
 * @returns {Span[]}
 */
export function cutSpan(spans, [start, end]) {
  if (!spans.some((span) => span[0] < end && start < span[1])) return spans;
  return spans.flatMap((span) =>
    span[1] <= start || end <= span[0]
      ? [span]
      : withLength([
          [span[0], start],
          [end, span[1]],
        ]),
  );
}

/** @param {Span[]} spans @param {number} token */
export const holds = (spans, token) => spans.some(([start, end]) => start <= token && token < end);

/** @param {Span[]} spans @param {Span} span */
export const covers = (spans, [from, to]) => {
  let at = from;
  for (const [start, end] of spans) if (start <= at && at < end) at = end;
  return at >= to;
};

/**
 * Number of tokens that two sorted span lists share.
 * @param {Span[]} a
 * @param {Span[]} b
 */
export function sharedTokens(a, b) {
  let shared = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    shared += Math.max(0, Math.min(a[i][1], b[j][1]) - Math.max(a[i][0], b[j][0]));
    if (a[i][1] < b[j][1]) i += 1;
    else j += 1;
  }
  return shared;
}

/** @param {Array<{spans: Span[]}>} sets */
export function unionOf(sets) {
  return tidy(sets.flatMap((set) => set.spans.map(([start, end]) => /** @type {Span} */ ([start, end]))));
}

/** @param {State} state @param {number} index @param {Span[]} spans */
function withSpans(state, index, spans) {
  const old = state.sets[index];
  if (spans === old.spans) return state;
  const sets = [...state.sets];
  sets[index] = { ...old, spans, size: sizeOf(spans), touched: true };
  return { ...state, sets, noRationale: state.noRationale && !spans.length };
}

/** @param {State} state @param {Span[]} added @param {(a: number, b: number) => boolean} [same] @returns {State} */
export function addSpans(state, added, same) {
  const spans = added.reduce((all, span) => joinSpan(all, span, same), state.sets[state.current].spans);
  return withSpans(state, state.current, spans);
}

/** @param {State} state @param {Span[]} removed @returns {State} */
export function removeSpans(state, removed) {
  return withSpans(state, state.current, removed.reduce(cutSpan, state.sets[state.current].spans));
}

/**
 * Chooses a set; the one after the last makes a new set.
 * @param {State} state
 * @param {number} index
 * @returns {State}
 */
export function chooseSet(state, index) {
  return index === state.current || index < 0 || index >= state.sets.length ? state : { ...state, current: index };
}

/**
 * A new empty set; an empty last one is chosen instead of making another.
 * @param {State} state
 * @returns {State}
 */
export function newSet(state) {
  const last = state.sets.length - 1;
  if (last >= 0 && !state.sets[last].size && !state.sets[last].locked) return chooseSet(state, last);
  return { ...state, sets: [...state.sets, emptySet()], current: state.sets.length };
}

/**
 * One more set with these tokens, in the next free place.
 * @param {State} state
 * @param {Span[]} spans
 * @returns {State}
 */
export function addSet(state, spans) {
  const fresh = newSet(state);
  return withSpans(fresh, fresh.current, spans);
}

/** @param {State} state @returns {State} */
export function clearSet(state) {
  const set = state.sets[state.current];
  if (set.size) return withSpans(state, state.current, []);
  if (state.sets.length === 1) return set.touched ? { ...state, sets: [emptySet()] } : state;
  const sets = state.sets.filter((_, index) => index !== state.current);
  return { ...state, sets, current: Math.min(state.current, sets.length - 1) };
}

/**
 * @param {State} state
 * @param {string|null} result
 * @returns {State}
 */
export function setResult(state, result) {
  return state.result === result ? state : { ...state, result };
}

/**
 * "No answer" or, again, none said; sets that hold nothing go with it.
 * @param {State} state
 * @param {boolean} on
 * @returns {State}
 */
export function setNoAnswer(state, on) {
  if (!on) return setResult(state, null);
  return state.sets.some(({ size }) => size)
    ? setResult(state, "")
    : { ...state, result: "", sets: [emptySet()], current: 0 };
}

/**
 * @param {State} state
 * @param {string} note
 * @returns {State}
 */
export function setNote(state, note) {
  return state.note === note ? state : { ...state, note };
}

/**
 * "No rationale in the text" and marks exclude each other.
 * @param {State} state
 * @param {boolean} on
 * @returns {State}
 */
export function setNoRationale(state, on) {
  if (state.noRationale === on) return state;
  return on ? { ...state, noRationale: true, sets: [emptySet()], current: 0 } : { ...state, noRationale: false };
}

/**
 * @param {State} state
 * @param {number} index
 * @returns {State}
 */
export function unlockSet(state, index) {
  const set = state.sets[index];
  if (!set?.locked) return state;
  const sets = [...state.sets];
  sets[index] = { ...set, locked: false };
  const unlocked = set.origin === null ? state.unlocked : [...state.unlocked, set.origin];
  return { ...state, sets, current: index, unlocked };
}

/**
 * Why a state cannot be submitted, as a sentence, or null.
 * @param {string|null} result  what it stands for: chosen, else given
 * @param {State} state
 * @param {Project} project
 * @returns {{error: string, set: number|null}|null}
 */
export function problemOf(state, project, result = state.result) {
  return (
    resultProblem(project, result) ||
    (project.result_mode === "labels_only" ? null : setProblem(state, project, result))
  );
}

/** @param {Project} project @param {string|null} result */
function resultProblem({ result_kind: kind, result_mode: mode }, result) {
  const isAnswer = kind === "answer";
  if (mode === "confirm" || result || (isAnswer && result === "")) return null;
  if (isAnswer)
    return { error: _("Give the answer first: type it, select it (0), or press “No answer” (i)."), set: null };
  return { error: _("Choose a label first (l)."), set: null };
}

/**
 * That the text holds no answer needs no rationale: there may be no words that say it.
 * @param {Project} project
 * @param {string|null} result
 */
const needsNone = ({ result_kind: kind }, result) => kind === "answer" && result === "";

/** @param {State} state @param {Project} project @param {string|null} result */
function setProblem(state, project, result) {
  const draft = draftOf(state);
  if (state.noRationale) return null;
  if (!draft.sets.length && needsNone(project, result)) return null;
  if (!draft.sets.some((spans) => spans.length) && !needsNone(project, result)) {
    const error = project.may_be_empty
      ? _("Nothing is marked. Mark a set, or choose “no rationale in the text”.")
      : _("Nothing is marked.");
    return { error, set: 0 };
  }
  const empty = draft.sets.findIndex((spans) => !spans.length);
  if (empty >= 0) return { error: _("Set {letter} is empty. Remove it.", { letter: letterOf(empty) }), set: empty };
  return equalProblem(draft.sets);
}

/** Two sets are equal when their tokens are, however their spans are cut. @param {Span[][]} sets */
function equalProblem(sets) {
  const seen = new Map();
  for (const [index, spans] of sets.entries()) {
    const key = JSON.stringify(spans.reduce((all, span) => joinSpan(all, span), /** @type {Span[]} */ ([])));
    if (seen.has(key)) {
      return {
        error: _("Sets {first} and {second} are identical. Change one.", {
          first: letterOf(seen.get(key)),
          second: letterOf(index),
        }),
        set: index,
      };
    }
    seen.set(key, index);
  }
  return null;
}
