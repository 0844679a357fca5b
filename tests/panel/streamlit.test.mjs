// The title of the tab, with a stand-in for the document: it tells of each change as a browser does, a moment later.
import assert from "node:assert/strict";
import test from "node:test";

const MOST_CHANGES = 100; // a browser has no such limit: it would stand still
const watchers = new Set();
let n_changes = 0;
let title = "Saliency · Sentiment";

globalThis.document = {
  get title() {
    return title;
  },
  set title(text) {
    title = text;
    n_changes += 1;
    if (n_changes < MOST_CHANGES) for (const watcher of watchers) queueMicrotask(watcher.tell);
  },
  querySelector: () => ({}),
  documentElement: {},
};
globalThis.MutationObserver = class {
  constructor(tell) {
    this.tell = () => watchers.has(this) && tell();
  }
  observe() {
    watchers.add(this);
  }
  disconnect() {
    watchers.delete(this);
  }
};
globalThis.requestAnimationFrame = (callback) => setTimeout(callback);
const { TabTitle } = await import("../../annotator/web/panel/shared/streamlit.js");
/** Turns of the event loop, not a time: what was asked for before them is done, however busy the machine is. */
async function settled() {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 2));
}

test("where a screen is made before the one it follows is taken away, the newer alone names the tab", async () => {
  const former = new TabTitle();
  former.name("s-1");
  await settled();
  assert.equal(title, "s-1 · Saliency · Sentiment");
  const newer = new TabTitle();
  newer.name("t-7");
  former.name("s-2");
  await settled();
  assert.equal(title, "t-7 · Saliency · Sentiment");
  former.destroy();
  document.title = "Saliency · Similarity";
  await settled();
  assert.equal(title, "t-7 · Saliency · Similarity");
  newer.destroy();
  assert.equal(title, "Saliency · Similarity");
  assert.ok(n_changes < 10, `${n_changes} changes`);
});
