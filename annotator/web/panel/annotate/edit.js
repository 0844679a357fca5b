/**
 * The lead's version of an annotation: the token panel with marks only. It asks no route for anything; what is made
 * here goes to the script when the person stores it. See docs/panel.md, "The panel for editing".
 */
import { openKeys } from "../shared/dialogs.js";
import { setText } from "../shared/dom.js";
import { Keyboard, keysFor } from "./keyboard.js";
import { Marking } from "./marking.js";
import { problemOf } from "../shared/model.js";
import { mountable } from "../shared/mount.js";
import { Pointer } from "./pointer.js";
import { Screen } from "./screen.js";
import { Session } from "../shared/session.js";

const NOT_HERE = new Set(["s", "d", "g", "m", "q", "v", "Shift + v"]);
const keysHere = (project) =>
  keysFor(project)
    .filter(([title]) => title !== "Proposed sets")
    .map(([title, rows]) => [title, rows.filter(([key]) => !NOT_HERE.has(key))]);
const nothing = () => {};

class Editor {
  constructor(data, parent, trigger) {
    this.data = data;
    this.trigger = trigger;
    this.screen = new Screen(parent, false, false);
    this.marking = new Marking(this.screen, nothing);
    this.screen.build(this.#actions());
    this.#leaveOut();
    this.screen.pointer = new Pointer(this.screen.text, this.screen, this.marking);
    this.keyboard = new Keyboard(this.screen, this.marking, this.#actions());
    this.screen.show(new Session(data.work, data.settings));
  }

  #actions() {
    const { marking, screen } = this;
    return {
      hover: (index) => screen.hover(index),
      choose: (index, byHand) => screen.chosen(marking, index, byHand),
      newSet: () => marking.newSet(),
      unlock: nothing,
      undo: () => marking.undo(),
      redo: () => marking.redo(),
      look: (name) => marking.toggleLook(name),
      noRationale: () => marking.toggleNoRationale(),
      result: (label) => marking.setResult(label),
      note: (text) => marking.setNote(text),
      nextMark: (by) => screen.nextMark(by),
      table: () => screen.keepTable(),
      reading: () => screen.reading.open(),
      noAnswer: () => marking.noAnswer(),
      submit: () => this.#store(),
      keys: () => openKeys(screen.root, keysHere(this.data.settings)),
      focusText: () => screen.focusText(),
      skip: nothing,
      discard: nothing,
      guidelines: nothing,
      mine: nothing,
      forward: nothing,
      ask: nothing,
      accept: nothing,
      reject: nothing,
      nextProposal: nothing,
      take: nothing,
      glance: nothing,
    };
  }

  /** The screen's parts that belong to a queue of work; and the words for what is done here in their place. */
  #leaveOut() {
    const { bar, head, numbers } = this.screen;
    for (const part of [bar.skip, bar.discard, bar.word.root]) part.remove();
    head.root.hidden = true;
    setText(bar.submit.querySelector(".button-label"), this.data.words.store);
    bar.submit.title = `${this.data.words.store} (Ctrl+⏎)`;
    setText(numbers.noteBox.firstChild, this.data.words.reason);
    numbers.note.placeholder = this.data.words.reason_hint;
  }

  #store() {
    const { session } = this.screen;
    const problem = problemOf(session.state, session.project, session.result);
    if (problem) return this.screen.hint(problem.error, { stay: true });
    if (!session.draft.note.trim()) {
      this.screen.numbers.note.focus();
      return this.screen.hint(this.data.words.reason_missing, { stay: true });
    }
    this.trigger("version", session.draft);
  }

  /** Whether another text is asked for: that is another editor. */
  differs(data) {
    return data.project !== this.data.project || data.work.instance.id !== this.data.work.instance.id;
  }

  /**
   * Sets that were ticked since are added, those unticked go, unless they were changed here; one step, so undo leads
   * back.
   */
  update(data, trigger) {
    const before = keysOf(this.data.work.draft.sets);
    const after = keysOf(data.work.draft.sets);
    this.data = data;
    this.trigger = trigger;
    this.screen.updateTheme();
    if (before.join() === after.join()) return;
    const { session } = this.screen;
    const kept = session.draft.sets.filter(
      (spans) => spans.length && (!before.includes(keyOf(spans)) || after.includes(keyOf(spans))),
    );
    const here = keysOf(kept);
    const added = data.work.draft.sets.filter(
      (spans) => !before.includes(keyOf(spans)) && !here.includes(keyOf(spans)),
    );
    session.load({ ...session.draft, sets: [...kept, ...added] });
    this.screen.refresh();
  }

  destroy() {
    this.keyboard.destroy();
    this.screen.destroy();
  }
}

const keyOf = (spans) => JSON.stringify(spans);
const keysOf = (sets) => sets.map(keyOf);

export default mountable((data, parent, trigger) => new Editor(data, parent, trigger));
