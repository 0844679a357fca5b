// Where one was reading before a jump, in a text whose places still move while it is laid out.
import assert from "node:assert/strict";
import test from "node:test";
import { Navigation } from "../../annotator/web/panel/shared/navigation.js";

/** A text of lines 20 pixels high in a window of 400; `shift` moves what is in sight, as lines do that are laid out. */
function page() {
  const frames = new Map();
  globalThis.requestAnimationFrame = (callback) => frames.set(frames.size + 1, callback).size;
  globalThis.cancelAnimationFrame = (id) => frames.delete(id);
  const stage = {
    scroll: 0,
    session: {},
    view: {
      boxOf: (token) => ({
        top: 20 * token + stage.moved - stage.scroll,
        bottom: 20 * token + stage.moved - stage.scroll + 16,
      }),
    },
    moved: 0,
    shift: (pixels) => (stage.moved += pixels),
    textWindow: () => ({ top: 0, bottom: 400 }),
    scrollBy: (pixels) => (stage.scroll += pixels),
    scrollTo: (pixels) => (stage.scroll = pixels),
    announce: () => {},
    hint: () => {},
    draw: () => {
      const [[id, callback]] = frames;
      frames.delete(id);
      callback();
    },
  };
  return { stage, places: new Navigation(stage) };
}

test("a second jump before the first has come to rest keeps the place where one was reading", () => {
  const { stage, places } = page();
  stage.scroll = 300;
  places.go(500);
  stage.draw();
  stage.shift(90);
  stage.scroll += 50; // as the browser does while lines above are laid out
  places.go(900);
  places.back();
  assert.equal(stage.scroll, 300);
});

test("a set that is asked for again before its place has come to rest leads back", () => {
  const { stage, places } = page();
  stage.scroll = 300;
  places.toSet(1, [[500, 503]]);
  stage.scroll += 50;
  places.toSet(1, [[500, 503]]);
  assert.equal(stage.scroll, 300);
});

test("who has read on since a jump comes back to where they read on to", () => {
  const { stage, places } = page();
  places.go(500);
  for (let frame = 0; frame < 10; frame += 1) stage.draw();
  stage.scroll = 12_000;
  places.go(900);
  places.back();
  assert.equal(stage.scroll, 12_000);
});
