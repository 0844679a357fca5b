/**
 * The title of the browser's tab: the text on the screen, then what Streamlit calls the page ("s-17 · Annotate ·
 * Sentiment"). Streamlit writes its own title at each script run; the text's name (its key, or its first words) is put
 * before it again.
 */

import { afterwards } from "./dom.js";

/**
 * The one that names the tab, which is the newest: Streamlit may make a screen before it takes the former away, and two
 * that each put their text before what the other wrote would never come to an end.
 * @type {TabTitle|null}
 */
let newest = null;

export class TabTitle {
  constructor() {
    newest?.destroy();
    newest = this;
    this.key = "";
    this.page = document.title;
    this.watcher = new MutationObserver(() => this.#follow());
    const title = document.querySelector("title");
    if (title) this.watcher.observe(title, { childList: true, characterData: true, subtree: true });
  }

  /**
   * Writing a title takes the browser milliseconds: it follows the text.
   * @param {string} key  of the text on the screen; "" where there is none
   */
  name(key) {
    this.key = key;
    afterwards(() => this.#write());
  }

  #follow() {
    if (document.title === this.written) return;
    this.page = document.title;
    this.#write();
  }

  #write() {
    if (this.isOver) return;
    this.written = this.key ? `${this.key} · ${this.page}` : this.page;
    if (document.title !== this.written) document.title = this.written;
  }

  destroy() {
    if (this.isOver) return;
    this.isOver = true;
    this.watcher.disconnect();
    if (document.title === this.written) document.title = this.page;
  }
}
