/**
 * The line above the bar: what is asked, and the quiet buttons for what one needs now and then; the question below the
 * bar while it is out of sight, and the size of the text.
 */
import { _, several } from "../words/language.js";
import { storeValue, storedValue } from "./browser_storage.js";
import { openDialog } from "./dialogs.js";
import { button, div, element, inline, keyCap, menu, paragraph, pressable, setText } from "./dom.js";
import { counted, inPercent, isMachineKey, labelWords, nameOf } from "./naming.js";

/** So much of an answer stands in the question; the whole stands in its field. */
const ANSWER_CHARS = 24;
/** The place of so many labels is kept free in the question; of more, that of the longest. */
const MANY_LABELS = 6;

/**
 * What its buttons do; those that are missing have none.
 * @typedef {Object} HeadActions
 * @property {() => unknown} [back]
 * @property {() => unknown} [ask]
 * @property {() => unknown} [answers]
 * @property {(reads?: boolean) => unknown} guidelines
 * @property {() => unknown} [mine]
 * @property {() => unknown} [reading]
 * @property {() => unknown} keys
 */

/** What it reads of the work on the screen. */
/** @typedef {Session|ReviewSession} Shown */

export class Head {
  /**
   * @param {HeadActions} actions
   * @param {{page?: string, mine?: string, mineTitle?: string}} [words]
   *   what the page and one's finished work are called
   */
  constructor(actions, { page = _("Annotate"), mine = _("My work"), mineTitle = _("My work") } = {}) {
    this.title = element("h1", { class: "heard" }, page);
    /** What is asked, with the result as it stands in it. */
    this.words = "";
    /** @type {string|null}  what the words were made of */
    this.shown = null;
    /** @type {HTMLElement[]} */
    this.ghosts = [];
    this.page = page;
    this.question = paragraph("question");
    this.key = element("span", { class: "instance-key", title: _("Text ID") });
    this.progress = inline("progress");
    this.talk =
      actions.ask &&
      button(_("Ask"), {
        key: "q",
        className: "plain talk-button",
        title: _("Comments, and questions to the lead"),
        onclick: actions.ask,
      });
    this.model =
      actions.answers &&
      button(_("Model"), {
        key: "w",
        className: "plain model-button",
        title: _("Model predictions for your sets"),
        onclick: actions.answers,
        hidden: true,
      });
    this.guidelines = button(_("Guidelines"), {
      key: "g",
      className: "plain",
      title: _("Show or hide the guidelines"),
      onclick: () => actions.guidelines(),
    });
    this.buttons = div(
      "head-buttons",
      actions.back ? inline("where", this.key, this.progress) : this.key,
      this.talk,
      this.model,
      this.guidelines,
      menu(
        "⋯",
        _("More"),
        actions.back &&
          button(_("Previous"), {
            key: "v",
            className: "plain",
            title: _("Reopen your last submission"),
            onclick: actions.back,
          }),
        actions.mine &&
          button(mine, { key: "m", className: "plain mine-button", title: mineTitle, onclick: actions.mine }),
        actions.reading &&
          button(_("Text size and line spacing"), { key: "z", className: "plain", onclick: actions.reading }),
        button(_("Keys"), { key: "?", className: "plain", title: _("List of keys (?)"), onclick: actions.keys }),
      ),
    );
    this.talkCount = inline("talk-count");
    this.talk?.append(this.talkCount);
    this.root = div("head", this.title, this.question, this.buttons);
  }

  /** @param {Shown} session */
  show(session) {
    const { instance, round, max_rounds: most } = session.work;
    const rounds = roundWords(round, most);
    const after = rounds && ` · ${rounds}`;
    const isLast = most ? round >= most : false;
    this.key.replaceChildren(
      element("span", { class: "key-words", hidden: isMachineKey(instance.key) }, instance.key),
      after,
    );
    this.key.title = isLast
      ? _("Last round: below the thresholds the annotation is discarded.")
      : _("Text ID: {key}", { key: instance.key }) + after;
    setText(this.title, _("{title}: {sentence}", { title: this.page, sentence: nameOf(instance) }));
    if (this.talk) this.talk.hidden = false;
    if (this.model) this.model.hidden = !session.project?.asks_model || Boolean(session.work.is_blind);
    this.shown = null;
  }

  /** No text is on the screen: nothing here speaks of one. */
  showNothing() {
    this.key.replaceChildren();
    this.key.title = "";
    setText(this.title, this.page);
    this.question.replaceChildren();
    this.question.title = this.words = "";
    for (const made of [this.talk, this.model]) if (made) made.hidden = true;
  }

  /**
   * Where one stands: how many one has submitted today, and how many of those that are one's own or may still come.
   * @param {Counts} given
   */
  showProgress({ today, submitted, returned, open, waiting, quota, done = 0 }) {
    if (quota !== undefined) return this.#showQuota(done, quota);
    if (today === undefined) return;
    const all = submitted + returned + open + waiting;
    const words = several("{n} today · {submitted} of {all}", "{n} today · {submitted} of {all}", today, {
      submitted: submitted.toLocaleString("en"),
      all: all.toLocaleString("en"),
    });
    setText(this.progress, words);
    this.progress.title = _("{today} today, corrections too; submitted: {submitted} of {all}.", {
      today: counted(today, "submission"),
      submitted: submitted.toLocaleString("en"),
      all: counted(all, "text"),
    });
  }

  /**
   * Whoever came in by a recruitment link sees how much of their own work is done, and asks and lists nothing.
   * @param {number} done
   * @param {number} quota
   */
  #showQuota(done, quota) {
    setText(this.progress, _("{n} of {all}", { n: done.toLocaleString("en"), all: quota.toLocaleString("en") }));
    this.progress.title = _("You have done {done} of {quota}.", {
      done: done.toLocaleString("en"),
      quota: counted(quota, "text"),
    });
    this.root.classList.add("of-worker");
  }

  /**
   * How many comments there are on this text; new: some that were not seen in this browser.
   * @param {number} count
   * @param {boolean} isNew
   */
  showTalk(count, isNew) {
    if (!this.talk) return;
    setText(this.talkCount, count ? String(count) : "");
    this.talk.classList.toggle("new", isNew);
    this.talk.setAttribute("aria-label", talkWords(count, isNew));
  }

  /**
   * The result stands in the question in bold; before it is chosen, dots stand for it.
   * @param {Shown} session
   */
  update(session) {
    const question = session.project?.question || "";
    const shown = `${question}\u0000${session.result}`;
    if (shown === this.shown) return;
    if (this.shown === null) this.ghosts = ghostsOf(session, question);
    this.shown = shown;
    const line = element("span", {}, ...partsOf(question, resultWords(session)));
    this.question.replaceChildren(line, ...this.ghosts);
    this.words = this.question.title = line.textContent ?? "";
  }
}

/** @param {number} round @param {number|null|undefined} most */
function roundWords(round, most) {
  if (most) return round >= most ? _("last round") : _("round {round} of {most}", { round, most });
  return round > 1 ? _("round {round}", { round }) : "";
}

/** @param {number} count  of comments @param {boolean} isNew */
function talkWords(count, isNew) {
  if (!count) return _("Ask the lead");
  return isNew
    ? several("Comments: {n}, new", "Comments: {n}, some new", count)
    : several("Ask the lead; {n} comment", "Ask the lead; {n} comments", count);
}

/** @param {Shown} given */
function resultWords({ result, work }) {
  if (result === null) return "…";
  if (result === "") return _("no answer");
  const words = labelWords(result, work.instance);
  return words.length > ANSWER_CHARS + 1 ? `${Array.from(words).slice(0, ANSWER_CHARS).join("")}…` : words;
}

/** @param {string} question @param {string} words */
const partsOf = (question, words) =>
  question
    .split("{result}")
    .flatMap((part, index) => (index ? [element("bdi", { class: "asked-result" }, words), part] : [part]));

/**
 * The question with each result that may come to stand in it, unseen in the same place: so its lines stay as many.
 * @param {Shown} given
 * @param {string} question
 */
function ghostsOf({ project, work }, question) {
  if (!project || !("labels" in project) || project.result_mode === "confirm" || !question.includes("{result}"))
    return [];
  const labels = project.labels.map((label) => labelWords(label, work.instance)).sort((a, b) => b.length - a.length);
  const longest = project.result_kind === "answer" ? ["n".repeat(ANSWER_CHARS)] : labels.slice(0, MANY_LABELS);
  return longest.map((words) =>
    element("span", { class: "ghost", "aria-hidden": "true" }, ...partsOf(question, words)),
  );
}

// ---- The question or claim, in one line below the bar while it has scrolled out of sight; it lies over the text

/** Of less than this nothing can be read. */
const HIDDEN_PIXELS = 6;

export class QuestionLine {
  /** @param {() => void} onturn  it was folded or unfolded */
  constructor(onturn) {
    this.parts = inline("asked-parts");
    this.root = pressable(
      "asked-line",
      { hidden: true, title: _("Show or hide the whole question"), "aria-keyshortcuts": "f", onclick: onturn },
      this.parts,
      keyCap("f"),
    );
    /** @type {HTMLElement[]} */
    this.sources = [];
    this.rule = inline("asked-part asked-rule");
    this.isFolded = true;
    this.hasOwn = false;
  }

  /**
   * @param {Array<{title: string, words: string, dir: string, lang: string|undefined}>} asked  the segments that ask
   *   something
   * @param {HTMLElement[]} sources  the elements that show it in full
   * @param {string} rule  the project's question
   */
  show(asked, sources, rule) {
    this.sources = sources;
    this.hasOwn = asked.length > 0;
    this.rule = inline("asked-part asked-rule", rule);
    const own = asked.map(({ title, words, dir, lang }) =>
      inline("asked-part", inline("asked-title", title), element("bdi", { class: "asked-words", dir, lang }, words)),
    );
    this.parts.replaceChildren(...own, this.rule);
    this.fold(true);
    this.root.hidden = true;
  }

  /**
   * The project's question changes with the result.
   * @param {string} rule
   */
  update(rule) {
    setText(this.rule, rule);
  }

  /**
   * Shows itself when what it repeats is out of sight, above the window or behind the bar.
   * @param {number} top  of what can be seen of the page @param {HTMLElement} bar
   */
  place(top, bar) {
    const source = this.sources.findLast((one) => one.isConnected);
    const box = source?.getBoundingClientRect();
    const line = this.hasOwn ? bar.getBoundingClientRect().bottom : top;
    const isGone = box !== undefined && box.height > 0 && box.bottom < line + HIDDEN_PIXELS;
    if (this.root.hidden === isGone) this.root.hidden = !isGone;
  }

  fold(isFolded = !this.isFolded) {
    this.isFolded = isFolded;
    this.root.classList.toggle("folded", isFolded);
    this.root.setAttribute("aria-expanded", String(!isFolded));
    this.rule.hidden = isFolded && this.hasOwn;
  }

  get words() {
    return this.parts.textContent;
  }

  get height() {
    return this.root.hidden ? 0 : this.root.offsetHeight;
  }
}

// ---- How large texts are written and how far apart their lines stand: a setting of the person at this browser

const KEY = "annotator:reading";
const STEP = 0.1;
/** Least and most of each, in parts of the usual. */
const BOUNDS = { size: [0.8, 2.4], space: [0.8, 1.8] };
const USUAL = Object.freeze({ size: 1, space: 1 });

/** @param {"size"|"space"} name @param {number} value */
const bounded = (name, value) => {
  const [least, most] = BOUNDS[name];
  return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.round(value * 10) / 10)) : USUAL[name];
};

/** @returns {{size: number, space: number}} */
function readingOf() {
  const { size, space } = storedValue(KEY) || {};
  return { size: bounded("size", size), space: bounded("space", space) };
}

/** Writes the setting where the style sheet reads it. @param {HTMLElement} root */
export function applyReading(root, { size, space } = readingOf()) {
  root.style.setProperty("--text-size", String(size));
  root.style.setProperty("--text-space", String(space));
}

export class TextSettings {
  /** @param {HTMLElement} root @param {(setting: {size: number, space: number}) => void} onchange */
  constructor(root, onchange) {
    this.root = root;
    this.onchange = onchange;
    this.value = readingOf();
    applyReading(root, this.value);
  }

  /**
   * One step more or less of a part.
   * @param {"size"|"space"} name
   * @param {number} by
   */
  step(name, by) {
    this.#set({ ...this.value, [name]: bounded(name, this.value[name] + by * STEP) });
  }

  /** @param {{size: number, space: number}} value */
  #set(value) {
    if (value.size === this.value.size && value.space === this.value.space) return;
    this.value = value;
    storeValue(KEY, value);
    this.onchange(value);
  }

  get words() {
    /** @param {number} part */
    const percent = (part) => inPercent(Math.round(part * 100));
    return _("text size {size}, line spacing {space}", {
      size: percent(this.value.size),
      space: percent(this.value.space),
    });
  }

  open() {
    const rows = [this.#row("size", _("Text size"), ["-", "+"]), this.#row("space", _("Line spacing"))];
    const usual = button(_("As usual"), {
      className: "plain",
      onclick: () => {
        this.#set({ ...USUAL });
        rows.forEach(({ show }) => show());
      },
    });
    const dialog = openDialog(this.root, _("Text"), ...rows.map(({ root }) => root), div("dialog-foot", usual));
    dialog.classList.add("reading");
  }

  /**
   * @param {[string, string]} [keys]  that do the same anywhere
   * @param {"size"|"space"} name
   * @param {string} title
   */
  #row(name, title, keys) {
    const shown = element("output", { class: "reading-value", "aria-label": title });
    const show = () => setText(shown, inPercent(Math.round(this.value[name] * 100)));
    /** @param {number} by */
    const turn = (by) => {
      this.step(name, by);
      show();
    };
    show();
    /** @param {string} sign @param {string} words @param {number} by @param {string} [key] */
    const turner = (sign, words, by, key) => {
      const name = _("{title}: {sentence}", { title, sentence: words });
      return button(sign, {
        title: key ? `${name} (${key})` : name,
        className: "square",
        "aria-label": name,
        onclick: () => turn(by),
      });
    };
    const root = div(
      "reading-row",
      element("span", {}, title),
      turner("−", _("less"), -1, keys?.[0]),
      shown,
      turner("+", _("more"), 1, keys?.[1]),
    );
    return { root, show };
  }
}
