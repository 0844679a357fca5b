// The rule of eslint that finds what a translated room of the panel says in English alone.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";
import { spoken } from "../../tools/panel/spoken.js";

const require = createRequire(new URL("../../tools/panel/package.json", import.meta.url));
const { Linter } = require("eslint");

/** What the rule finds in a source. @param {string} source */
function found(source) {
  const plugins = { annotator: { rules: { spoken } } };
  const rules = { "annotator/spoken": "error" };
  const languageOptions = { ecmaVersion: 2024, sourceType: "module" };
  const problems = new Linter().verify(source, [{ plugins, rules, languageOptions }]);
  return problems.map(({ message }) => message.split("”")[0].slice(1));
}

test("a sentence that is not said by _ is found, as a string and as a template", () => {
  assert.deepEqual(found('const words = "Nothing is marked yet.";'), ["Nothing is marked yet."]);
  assert.deepEqual(found("say(`${n} sets are locked`);"), ["{} sets are locked"]);
  assert.deepEqual(found('show(isOpen ? "guidelines are open" : _("guidelines are closed"));'), [
    "guidelines are open",
  ]);
});

test("single words are found where people read them", () => {
  assert.deepEqual(found('button("Skip", { title: "Later", className: "plain", key: "s" });'), ["Skip", "Later"]);
  assert.deepEqual(found('element("option", { value: "all" }, "All");'), ["All"]);
  assert.deepEqual(found('div("row main-row", inline("count", "All"));'), ["All"]);
  assert.deepEqual(found('open({ words: "Submit" }); setText(name, work?.words || "Send");'), ["Submit", "Send"]);
});

test("what is said, what nobody reads and names of metrics are left alone", () => {
  const source = `
    _("Nothing is marked yet."); several("{n} set waits.", "{n} sets wait.", 2); counted(3, "new token");
    element("div", { class: "row main row", style: "color: red" }, element("kbd", {}, "Esc"));
    root.querySelector("dialog input"); root.classList.add("quiet one"); throw new TypeError("There is no text here.");
    const css = ".bar{color:red;margin:0 auto}", className = "panel read"; element("th", {}, "RLR"); if (state === "passed on") go();
  `;
  assert.deepEqual(found(source), []);
});

test("drawings, fonts, LaTeX and the class of a screen are not read by people", () => {
  assert.deepEqual(found('const drawn = `<rect x="${x}" height="21" fill="none"/>`;'), []);
  assert.deepEqual(found("pen.font = `bold ${size}px sans-serif`;"), []);
  assert.deepEqual(found('const word = "\\\\strut pieces of words";'), []);
  assert.deepEqual(
    found('class Screen extends TextScreen { constructor(root) { super(root, "panel review", _("Text")); } }'),
    [],
  );
  assert.deepEqual(found('const remedy = "the panel is too narrow";'), ["the panel is too narrow"]);
});
