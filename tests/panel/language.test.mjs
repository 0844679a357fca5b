// In which language the panel's sentences are: what the document brought along, and else English.
import assert from "node:assert/strict";
import test from "node:test";

globalThis.annotatorWords = { "{n} word": "{n} 个词", "Set {letter} is empty.": "集合 {letter} 为空。", ", ": "、" };
const { _, inEnglish, listed, several, together } = await import("../../annotator/web/panel/words/language.js");

test("a sentence is in the language of the document, with its values", () => {
  assert.equal(_("Set {letter} is empty.", { letter: "{n}" }), "集合 {n} 为空。");
  assert.equal(several("{n} word", "{n} words", 1200), "1,200 个词");
});

test("a sentence without a translation stays English", () => {
  assert.equal(_("Undo"), "Undo");
  assert.equal(_("{what} stays as it is"), "{what} stays as it is");
  assert.equal(several("{n} set", "{n} sets", 1), "1 set");
  assert.equal(several("{n} set", "{n} sets", 0), "0 sets");
});

test("words in one line have the commas of the language", () => {
  assert.equal(listed(["a", "b"]), "a、b");
  assert.equal(listed([]), "");
});

test("sentences have a space between them in English, and none behind a Chinese stop", () => {
  assert.equal(together("One is open.", "", null, "None is done."), "One is open. None is done.");
  assert.equal(together("共 2 个", "（另有 1 个）"), "共 2 个（另有 1 个）");
  assert.equal(together("他说“好。”", "One.", "完成。"), "他说“好。”One. 完成。");
  assert.equal(together(), "");
});

test("what goes into a file for programs is English, and the screen speaks its language again afterwards", () => {
  assert.equal(
    inEnglish(() => `${several("{n} word", "{n} words", 2)}${listed(["", "a"])}`),
    "2 words, a",
  );
  assert.throws(() =>
    inEnglish(() => {
      throw new TypeError("no file");
    }),
  );
  assert.equal(several("{n} word", "{n} words", 2), "2 个词");
});
