/**
 * What a person does with proposed sets: takes one to hand, accepts it, rejects it, asks for one that waits to be asked
 * for.
 */
import { _, joined, several } from "../words/language.js";
import { accept, answer, answerOf } from "../shared/proposals.js";
import { letterOf } from "../shared/model.js";
import { counted } from "../shared/spoken.js";

const BRIEF_CHARS = 80;
const ONE_BY_ONE = _("These sets supported another result. Look at each one, and accept it (a) or reject it (r).");

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

  /** What is proposed and the one at hand, if there is anything to do here; says so if not. */
  #ready() {
    const { session } = this;
    if (!session || !this.marking.writable || this.marking.labelsOnly) return null;
    const { offer, state } = session;
    const { atHand } = offer;
    if (atHand) return { offer, state, atHand };
    this.screen.hint(
      offer.sets.length ? _("You have decided on every proposed set.") : _("No set is proposed for this text."),
    );
    return null;
  }

  /**
   * Takes the next proposed set to hand, or the one before.
   * @param {number} by
   */
  step(by) {
    const ready = this.#ready();
    if (!ready) return;
    const { open } = ready.offer;
    this.take(open[(open.indexOf(ready.atHand) + by + open.length) % open.length].id);
  }

  /** @param {number} id */
  take(id) {
    const { session } = this;
    if (!session?.open) return;
    session.offer.hand = id;
    this.screen.refresh();
    const { atHand } = session.offer;
    if (!atHand) return;
    this.screen.keepInSight(atHand.spans[0][0]);
    this.screen.announce(
      [
        _("proposed: {set}: {words}", { set: words(atHand), words: session.map.brief(atHand.spans, BRIEF_CHARS) }),
        ...atHand.notes,
      ].join(_(". ")),
    );
  }

  /**
   * Accepts the one at hand, or all; what waits to be asked for is only shown.
   * @param {boolean} all
   */
  accept(all) {
    const ready = this.#ready();
    if (!ready) return;
    const { offer, atHand, state } = ready;
    if (all && !offer.mayTakeAll) return this.screen.hint(ONE_BY_ONE);
    if (!all && answerOf(state, atHand) === "unasked") return this.#ask(atHand);
    const chosen = all ? offer.undecided : [atHand];
    if (chosen.length)
      this.#answer(
        offer,
        chosen,
        (before) => accept(before, chosen),
        (after) => madeWords(after, chosen),
      );
  }

  /** @param {boolean} all */
  reject(all) {
    const ready = this.#ready();
    if (!ready) return;
    const { offer, atHand } = ready;
    const chosen = all ? offer.undecided : [atHand];
    if (!chosen.length) return;
    const said =
      chosen.length === 1
        ? _("{title} rejected", { title: chosen[0].title })
        : several("{n} proposed sets rejected", "{n} proposed sets rejected", chosen.length);
    this.#answer(offer, chosen, (before) => answer(before, chosen, "rejected"), said);
  }

  /** @param {Proposal} proposal */
  #ask(proposal) {
    this.marking.edit(
      (state) => answer(state, [proposal], "undecided"),
      _("proposed: {set}", { set: words(proposal) }),
    );
  }

  /**
   * The one after those that were answered comes to hand.
   * @param {Session["offer"]} offer
   * @param {Proposal[]} chosen
   * @param {(state: State) => State} change
   * @param {import("./marking.js").Said} say
   */
  #answer(offer, chosen, change, say) {
    const { open } = offer;
    const after = open.slice(open.indexOf(chosen[chosen.length - 1]) + 1);
    offer.hand = after[0]?.id ?? null;
    this.marking.edit(change, say);
  }
}

/** @param {Proposal} given */
const words = ({ title, size }) => joined(title, counted(size, "token"));

/** @param {State} state @param {Proposal[]} chosen */
const madeWords = (state, chosen) =>
  chosen.length === 1
    ? _("accepted as set {letter}, {set}", { letter: letterOf(state.current), set: words(chosen[0]) })
    : several("{n} proposed sets accepted", "{n} proposed sets accepted", chosen.length);
