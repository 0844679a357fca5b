/**
 * The first text may be on its way before the panel is: the page's HTML asks for it while Streamlit's scripts are
 * still being read (routes/documents.py). The answer is good once, for the very question that was asked.
 *
 * @param {string} url  what is to be fetched now
 * @returns {Promise<import("./messages.js").Answer|null>|null}  null where nothing came: then one asks oneself
 */
export function takeEarly(url) {
  const early = window.annotatorEarly;
  window.annotatorEarly = null;
  return early && early.url === url ? early.answer : null;
}
