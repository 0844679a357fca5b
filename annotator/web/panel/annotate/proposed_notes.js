/**
 * Above a changed version: which of the original's sets are proposed, and what is to be known before they are accepted.
 */
import { _, several, together } from "../words/language.js";
import { element, setText } from "../shared/dom.js";

export class ProposedNotes {
  constructor() {
    this.root = element("p", { class: "proposed-notes" });
  }

  /**
   * One line from the beginning, so that the text does not move when the answer comes; the whole of it is its title.
   * @param {Session} given
   */
  update({ work, offer }) {
    this.root.hidden = !work.proposes;
    const warnings = offer.warnings;
    const words = together(
      !offer.isOfAnotherResult && offer.change?.words,
      ...(warnings.length ? warnings : [wordsOf(offer)]),
    );
    this.root.classList.toggle("warns", warnings.length > 0);
    setText(this.root, words);
    this.root.title = words;
  }
}

/** @param {Session["offer"]} offer */
function wordsOf({ answered, sets }) {
  if (!answered) return "…";
  const count = sets.filter(({ source }) => source === "carried").length;
  if (!count) return _("No set of the original is proposed.");
  return several("One set of the original is proposed.", "{n} sets of the original are proposed.", count);
}
