/**
 * What a person does with proposed sets: takes one to hand, accepts it, rejects it, asks for one that waits to be asked
 * for.
 */
import { accept, answer, answerOf } from "../shared/proposals.js";
import { letterOf } from "../shared/model.js";

const BRIEF_CHARS = 80;
const ONE_BY_ONE = "These sets supported another result. Look at each one, and accept it (a) or reject it (r).";

export class Proposing {
  /**
   * @param {import("./screen.js").Screen} screen
   * @param {import("./marking.js").Marking} marking
   */
  constructor(screen, marking) {
    this.screen = screen;
    this.marking = marking;
  }

  get session() {
    return this.screen.session;
  }

  get offer() {
    return this.session.offer;
  }

  /** Whether there is anything to do here; says so if not. */
  #ready() {
    if (!this.marking.writable || this.marking.labelsOnly) return false;
    if (this.offer.atHand) return true;
    this.screen.hint(
      this.offer.sets.length ? "You have decided on every proposed set." : "No set is proposed for this text.",
    );
    return false;
  }

  /** Takes the next proposed set to hand, or the one before. */
  step(by) {
    if (!this.#ready()) return;
    const { open, atHand } = this.offer;
    this.take(open[(open.indexOf(atHand) + by + open.length) % open.length].id);
  }

  take(id) {
    const { session } = this;
    if (!session?.open) return;
    session.offer.hand = id;
    this.screen.refresh();
    const { atHand } = session.offer;
    if (!atHand) return;
    this.screen.keepInSight(atHand.spans[0][0]);
    this.screen.announce(
      [`proposed: ${words(atHand)}: ${session.map.brief(atHand.spans, BRIEF_CHARS)}`, ...atHand.notes].join(". "),
    );
  }

  /** Accepts the one at hand, or all; what waits to be asked for is only shown. */
  accept(all) {
    if (!this.#ready()) return;
    const { atHand, undecided } = this.offer;
    if (all && !this.offer.mayTakeAll) return this.screen.hint(ONE_BY_ONE);
    if (!all && answerOf(this.session.state, atHand) === "unasked") return this.#ask(atHand);
    const chosen = all ? undecided : [atHand];
    if (chosen.length)
      this.#answer(
        chosen,
        (before) => accept(before, chosen),
        (after) => madeWords(after, chosen),
      );
  }

  reject(all) {
    if (!this.#ready()) return;
    const chosen = all ? this.offer.undecided : [this.offer.atHand];
    if (!chosen.length) return;
    const said = chosen.length === 1 ? `${chosen[0].title} rejected` : `${chosen.length} proposed sets rejected`;
    this.#answer(chosen, (before) => answer(before, chosen, "rejected"), said);
  }

  #ask(proposal) {
    this.marking.edit((state) => answer(state, [proposal], "undecided"), `proposed: ${words(proposal)}`);
  }

  /** The one after those that were answered comes to hand. */
  #answer(chosen, change, say) {
    const { open } = this.offer;
    const after = open.slice(open.indexOf(chosen[chosen.length - 1]) + 1);
    this.offer.hand = after[0]?.id ?? null;
    this.marking.edit(change, say);
  }
}

const words = ({ title, size }) => `${title}, ${size} ${size === 1 ? "token" : "tokens"}`;

const madeWords = (state, chosen) =>
  chosen.length === 1
    ? `accepted as set ${letterOf(state.current)}, ${words(chosen[0])}`
    : `${chosen.length} proposed sets accepted`;
