/** What saves the typed text: as a changed version that waits for its checkers, or as a test with one case. */
import { _ } from "../words/language.js";
import { openDialog } from "../shared/dialogs.js";
import { button, element, parts, setText } from "../shared/dom.js";
import { Messages, sentenceOf } from "../shared/messages.js";

/** As they are stored, and as they are shown. @type {[string, string][]} */
const CAPABILITIES = [
  ["Vocabulary", _("Vocabulary")],
  ["Robustness", _("Robustness")],
  ["Logic", _("Logic")],
  ["Entity", _("Entity")],
];
const SAME = "";

/** @typedef {import("./typed.js").Texts} Texts */
/** @typedef {{instance: HeatAnswer["instance"], texts: Texts}} Typed  what is typed, and what it was made from */
/** @typedef {(body: object) => Promise<string>} Send  answers why it could not be saved; "" where it is saved */

/**
 * @param {HTMLElement} root
 * @param {Typed} typed
 * @param {{kinds: {name: string, title: string}[], labels: string[], send: Send}} given
 */
export function openVersionDialog(root, { instance, texts }, { kinds, labels, send }) {
  const kind = select(
    _("Kind of change"),
    kinds.map(({ name, title }) => [name, title]),
  );
  const label = select(
    _("Label of the changed version"),
    labels.map((one) => [one, one]),
    instance.result ?? "",
  );
  const note = element("input", { type: "text", maxLength: 500, "aria-label": _("Note for the checkers") });
  return openSaving(root, {
    title: _("Save as a changed version"),
    words: _("It waits for its checkers, and becomes a text of the project when they approve it."),
    rows: [row(_("Kind"), kind), ...(labels.length ? [row(_("Label"), label)] : []), row(_("Note"), note)],
    saved: _("It is saved, and waits for its checkers."),
    send: () =>
      send({
        instance: instance.id,
        changed: { kind: kind.value, texts, result: labels.length ? label.value : instance.result, note: note.value },
        keeps_draft: true,
      }),
  });
}

/**
 * @param {HTMLElement} root
 * @param {Typed} typed
 * @param {{labels: string[], send: Send}} given
 */
export function openCaseDialog(root, { instance, texts }, { labels, send }) {
  const suite = element("input", { type: "text", maxLength: 200, value: _("Typed texts"), "aria-label": _("Suite") });
  const test = element("input", {
    type: "text",
    maxLength: 200,
    value: _("{key}, changed", { key: instance.key.slice(0, 150) }),
    "aria-label": _("Name of the test"),
  });
  const expected = select(_("What is expected"), [
    ...labels.map((one) => /** @type {[string, string]} */ ([one, _("the label “{label}”", { label: one })])),
    [SAME, _("the same answer as to the stored text")],
  ]);
  const category = select(_("Capability"), CAPABILITIES);
  if (instance.result && labels.includes(instance.result)) expected.value = instance.result;
  return openSaving(root, {
    title: _("Save as a test case"),
    words: _("It is a functional test with one case, on the page Tests, where models are asked."),
    rows: [row(_("Suite"), suite), row(_("Test"), test), row(_("Expected"), expected), row(_("Capability"), category)],
    saved: _("It is saved on the page Tests."),
    send: () =>
      send({
        instance: instance.id,
        texts,
        suite: suite.value,
        test: test.value,
        category: category.value,
        label: expected.value === SAME ? null : expected.value,
      }),
  });
}

/**
 * @param {HTMLElement} root
 * @param {{title: string, words: string, rows: HTMLElement[], saved: string, send: () => Promise<string>}} given
 */
function openSaving(root, { title, words, rows, saved, send }) {
  const said = element("p", { class: "list-said", role: "alert" });
  const save = button(_("Save"), {
    key: "⏎",
    className: "primary",
    onclick: async () => {
      save.disabled = true;
      const refusal = await send();
      save.disabled = !refusal;
      said.classList.toggle("refused", Boolean(refusal));
      setText(said, refusal || saved);
    },
  });
  const form = element("div", { class: "saved-form" }, element("p", { class: "dialog-words" }, words), ...rows);
  form.append(element("div", { class: "dialog-foot" }, said, save));
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || event.target instanceof HTMLButtonElement || save.disabled)
      return;
    event.preventDefault();
    save.click();
  });
  const dialog = openDialog(root, title, form);
  parts(form, "select, input", HTMLElement)[0]?.focus();
  return dialog;
}

/**
 * @param {string} name
 * @param {[string, string][]} options
 */
function select(name, options, chosen = options[0]?.[0] ?? "") {
  const made = element(
    "select",
    { "aria-label": name },
    ...options.map(([value, words]) => element("option", { value, selected: value === chosen }, words)),
  );
  return made;
}

/** @param {string} words @param {HTMLElement} field */
const row = (words, field) =>
  element("label", { class: "typed-row" }, element("span", { "aria-hidden": "true" }, words), field);

/** What is typed is sent where it is stored: by Perturb's own route, or by that of the suites. */
export class TypedSaving {
  /**
   * @param {SaliencyData} data
   * @param {() => {root: HTMLElement, view: HeatAnswer|null, texts: Texts}} shown
   */
  constructor(data, shown) {
    this.data = data;
    this.shown = shown;
    /** @type {Messages<SaliencyRoutes>} */
    this.messages = new Messages(data.routes, data.csrf);
    /** @type {Messages<PerturbRoutes>} */
    this.perturb = new Messages(data.routes.replace(/saliency$/, "perturb"), data.csrf);
  }

  async openVersion() {
    const { root, view, texts } = this.shown();
    const rules = await this.perturb.get("rules", { project: this.data.project });
    if (!view) return;
    if (rules.status !== 200) openDialog(root, _("Save as a changed version"), sentenceOf(rules));
    else
      openVersionDialog(
        root,
        { instance: view.instance, texts },
        {
          kinds: rules.body.kinds,
          labels: rules.body.result_kind === "label" ? rules.body.labels : [],
          send: async (body) => refusalOf(await this.perturb.post("hand-in", body)),
        },
      );
  }

  openCase() {
    const { root, view, texts } = this.shown();
    if (!view) return;
    openCaseDialog(
      root,
      { instance: view.instance, texts },
      { labels: this.data.labels, send: async (body) => refusalOf(await this.messages.post("case", body)) },
    );
  }
}

/** @param {Answer<object, object>} answer */
const refusalOf = (answer) => (answer.status === 200 ? "" : sentenceOf(answer));
