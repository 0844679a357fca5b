/** The small word that says whether everything has been saved. */
import { _ } from "../words/language.js";
import { element, setText } from "./dom.js";

const WORDS = {
  saved: _("saved"),
  saving: _("saving…"),
  offline: _("offline – kept in this browser"),
  unstored: _("not stored – kept in this browser"),
  "signed-out": _("signed out – kept in this browser"),
  held: _("not saved – see below"),
  unsent: _("changed – submit sends it"),
  kept: _("kept in this browser"),
};
/** @typedef {keyof typeof WORDS} SavingWord */

const PATIENCE_MS = 150;

export class Word {
  constructor() {
    this.root = element("span", { class: "word", role: "status" }, WORDS.saved);
  }

  /**
   * "saving…" appears only if it takes a moment: a word that flickers at each mark tires.
   * @param {SavingWord} word
   */
  say(word) {
    clearTimeout(this.timer);
    const show = () => {
      setText(this.root, WORDS[word]);
      this.root.title = WORDS[word];
      this.root.dataset.word = word;
    };
    if (word === "saving" && !["offline", "unstored"].includes(this.root.dataset.word ?? ""))
      this.timer = setTimeout(show, PATIENCE_MS);
    else show();
  }
}
