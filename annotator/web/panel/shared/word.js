/** The small word that says whether everything has been saved. */
import { element, setText } from "./dom.js";

const WORDS = {
  saved: "saved",
  saving: "saving…",
  offline: "offline – kept in this browser",
  unstored: "not stored – kept in this browser",
  "signed-out": "signed out – kept in this browser",
  held: "not saved – see below",
  unsent: "changed – submit sends it",
  kept: "kept in this browser",
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
