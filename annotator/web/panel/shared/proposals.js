/**
 * Sets that are proposed for a text: which of them still wait for an answer, and what an answer does to the state.
 * Pure: no DOM. An answer is part of the state, so that undo takes it back, and part of the draft, so that it is
 * remembered.
 */
import { joined, several } from "../words/language.js";
import { addSet, sharedTokens, sizeOf, tidyCopy } from "./annotation.js";

/**
 * @typedef {{id: number, source: "carried"|"lexicon"|"complement"|"model", name: string, title: string,
 *   spans: Span[], size: number, notes: string[]}} Proposal
 */
/**
 * @typedef {{from: State["sets"], proposed: State["proposed"], open: Proposal[], undecided: Proposal[]}} Sorted
 *   the proposals without an answer, and the sets and answers that they were worked out from
 */
/** @typedef {"unasked"|"undecided"|"accepted"|"edited"|"rejected"} Answer */

/**
 * @param {State} state
 * @param {{id: number, source: string}} given
 * @returns {Answer}
 */
export const answerOf = (state, { id, source }) =>
  /** @type {Answer|undefined} */ (state.proposed?.[id]) ?? (source === "complement" ? "unasked" : "undecided");

/** @param {Answer} answer */
const isOpen = (answer) => answer === "undecided" || answer === "unasked";

/**
 * The proposals without an answer, those left out that a set here is already.
 * @param {State} state
 * @param {Proposal[]} proposals
 * @returns {Proposal[]}
 */
function openOf(state, proposals) {
  /** @param {Proposal} proposal */
  const isMarked = ({ spans, size }) =>
    state.sets.some((set) => set.size === size && sharedTokens(set.spans, spans) === size);
  return proposals.filter((proposal) => isOpen(answerOf(state, proposal)) && !isMarked(proposal));
}

/** What is proposed for one text, once it was asked for. */
export class Offer {
  /** @param {{state: import("./annotation.js").State}} session */
  constructor(session) {
    this.session = session;
    this.asked = false;
    this.answered = false;
    /** @type {Proposal[]} */
    this.sets = [];
    /** @type {Proposed["ignored"]}  words that are told to be no rationale */
    this.ignored = null;
    /** @type {string[]} */
    this.notes = [];
    /** @type {Change|null}  what was changed of the original that the sets come from */
    this.change = null;
    /** @type {number|null}  the number of the one that was chosen */
    this.hand = null;
    /** @type {Sorted|null} */
    this.sorted = null;
  }

  /**
   * Takes the answer of the route; nothing that is marked changes.
   * @param {Proposed} answer
   */
  receive({ proposals, ignored, notes, change = null }) {
    this.answered = true;
    this.sets = proposals.map((given) => ({ ...given, spans: tidyCopy(given.spans), size: sizeOf(given.spans) }));
    this.ignored = ignored;
    this.notes = notes;
    this.change = change;
    this.sorted = null;
  }

  /** Whether the sets of the original supported a label or answer that this text does not have. */
  get isOfAnotherResult() {
    return Boolean(this.change?.is_other_result);
  }

  /** What should be known before a set is accepted. @returns {string[]} */
  get warnings() {
    const change = this.change?.is_other_result ? [this.change.words] : [];
    return [...change, ...this.open.flatMap((one) => one.notes), ...this.notes];
  }

  /** Whether all may be accepted at once: sets that supported another result are looked at one by one. */
  get mayTakeAll() {
    return !this.isOfAnotherResult || this.undecided.every(({ source }) => source !== "carried");
  }

  /** Worked out anew only when the sets or the answers are others. @returns {Sorted} */
  #sort() {
    const { state } = this.session;
    const { sets, proposed } = state;
    if (this.sorted?.from !== sets || this.sorted.proposed !== proposed) {
      const open = openOf(state, this.sets);
      const undecided = open.filter((one) => answerOf(state, one) === "undecided");
      const before = this.sorted;
      // The same lists stay the same objects, so that a mark draws no proposal anew.
      this.sorted = {
        from: sets,
        proposed,
        open: kept(before?.open, open),
        undecided: kept(before?.undecided, undecided),
      };
    }
    return this.sorted;
  }

  /** Without an answer, those that may be asked for among them. */
  get open() {
    return this.#sort().open;
  }

  get undecided() {
    return this.#sort().undecided;
  }

  /** The one that a key means: chosen, else the first that is proposed. @returns {Proposal|null} */
  get atHand() {
    return this.open.find(({ id }) => id === this.hand) ?? this.undecided[0] ?? this.open[0] ?? null;
  }
}

/** @param {Proposal[]|undefined} before @param {Proposal[]} now */
const kept = (before, now) =>
  before?.length === now.length && now.every((one, index) => one === before[index]) ? before : now;

/**
 * What one person said of the proposals, in words; "" before anything was said.
 * @param {State} state
 * @param {Proposal[]} proposals
 */
export function saidOf(state, proposals) {
  const kept = proposals.filter((one) => ["accepted", "edited"].includes(answerOf(state, one))).length;
  const rejected = proposals.filter((one) => answerOf(state, one) === "rejected").length;
  return joined(
    kept > 0 && several("{n} accepted", "{n} accepted", kept),
    rejected > 0 && several("{n} rejected", "{n} rejected", rejected),
  );
}

/**
 * @param {State} state
 * @param {Proposal[]} proposals
 * @param {Answer} answer
 * @returns {State}
 */
export function answer(state, proposals, answer) {
  if (!proposals.length) return state;
  return { ...state, proposed: { ...state.proposed, ...Object.fromEntries(proposals.map(({ id }) => [id, answer])) } };
}

/**
 * Makes sets of proposals, each in the next free colour.
 * @param {State} state
 * @param {Proposal[]} proposals
 * @returns {State}
 */
export function accept(state, proposals) {
  const made = proposals.reduce((after, { spans }) => addSet(after, spans), state);
  return answer(made, proposals, "accepted");
}
