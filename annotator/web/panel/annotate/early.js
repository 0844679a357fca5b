/**
 * What begins before Streamlit is there. The page's document (routes/documents.py) asks for the first text and says for
 * whom, and the panel is made at once, at the place where it stood the last time; Streamlit's component takes it over
 * as it is.
 */
import { kindOfWindow, storedPlaces } from "../shared/browser_storage.js";

/** A page that has not shown its component by then shows something else. */
const PATIENCE_MS = 20000;
const LOOK_MS = 200;

/**
 * The answer to what the document asked is good once, for the very question that was asked.
 *
 * @param {string} url  what is to be fetched now
 * @returns {Promise<Answer<NextWork>|null>|null}  null where nothing came: then one asks oneself
 */
export function takeEarly(url) {
  const early = window.annotatorEarly;
  window.annotatorEarly = null;
  return early && early.url === url ? early.answer : null;
}

/**
 * Whether the first text is here, and what Streamlit's component will be told of it.
 * @returns {Promise<PanelData|null>}
 */
export async function earlyData() {
  const early = window.annotatorEarly;
  const answer = await early?.answer;
  return answer?.status === 200 && answer.body.work && early && window.annotatorEarly === early ? early.data : null;
}

/** Where a panel stands in windows of a kind, and the theme around it. */
export class EarlyPlace {
  /** @returns {EarlyPlace|null}  null where no panel has stood in such a window */
  static remembered() {
    const found = storedPlaces()[kindOfWindow()];
    return found ? new EarlyPlace(found) : null;
  }

  /** @param {import("../shared/browser_storage.js").Place} place */
  constructor({ before, after, top, theme }) {
    this.host = document.createElement("div");
    this.host.className = "annotator-early";
    this.host.style.cssText = `position:fixed;inset:0 ${after}px 0 ${before}px;z-index:1;overflow:auto;background:var(--st-background-color, Canvas)`;
    for (const [name, value] of Object.entries(theme)) this.host.style.setProperty(name, value);
    const inner = document.createElement("div");
    inner.style.cssText = `margin:${top}px var(--page-padding) 0;padding-bottom:160px`;
    this.host.append(inner);
    this.root = inner.attachShadow({ mode: "open" });
  }

  /**
   * Puts the place into the page, and waits for its style sheet.
   * @param {string} css
   */
  async open(css) {
    const sheet = document.createElement("link");
    Object.assign(sheet, { rel: "stylesheet", href: css });
    const loaded = new Promise((resolve) => sheet.addEventListener("load", resolve, { once: true }));
    this.root.append(sheet);
    this.host.hidden = true;
    document.body.append(this.host);
    await loaded;
  }

  show() {
    this.host.hidden = false;
  }

  /**
   * Calls back when the page turns out to show something else: another page, a refusal, nothing at all.
   * @param {() => void} onother
   */
  watch(onother) {
    const { pathname } = location;
    const until = performance.now() + PATIENCE_MS;
    this.watching = setInterval(() => {
      const isOther =
        location.pathname !== pathname || document.querySelector("[data-testid=stAlert], [data-testid=stException]");
      if (isOther || performance.now() > until) onother();
    }, LOOK_MS);
  }

  /** The panel is taken over, whatever else the page shows. */
  keep() {
    clearInterval(this.watching);
  }

  close() {
    this.keep();
    this.host.remove();
  }
}
