/**
 * The lead's version of an annotation: the token panel with marks only. It asks no route for anything; what is made
 * here goes to the script when the person stores it. See docs/panel.md, "The panel for editing".
 */
import { problemOf } from "../shared/annotation.js";
import { openKeys } from "../shared/dialogs.js";
import { part, setText } from "../shared/dom.js";
import { Session } from "../shared/session.js";
import { mountable } from "../shared/streamlit.js";
import { Keyboard, PROPOSED_KEYS, keysFor, withoutKeys } from "./keyboard.js";
import { Marking, markingActions } from "./marking.js";
import { Pointer } from "./pointer.js";
import { Screen } from "./screen.js";

const NOT_HERE = ["s", "d", "g", "m", "q", "v", "Shift + v"];
/** @param {Project} project */
const keysHere = (project) =>
  keysFor(project)
    .filter((group) => group !== PROPOSED_KEYS)
    .map((group) => withoutKeys(group, NOT_HERE));
const nothing = () => {};

class Editor {
  /** @param {EditData} data @param {HTMLElement|ShadowRoot} parent @param {Trigger} trigger */
  constructor(data, parent, trigger) {
    this.data = data;
    this.trigger = trigger;
    const actions = this.#actions();
    this.screen = new Screen(parent, actions, false, false);
    this.marking = new Marking(this.screen, nothing);
    this.#leaveOut();
    this.screen.pointer = new Pointer(this.screen.text, this.screen, this.marking);
    this.keyboard = new Keyboard(this.screen, this.marking, actions);
    this.screen.show(new Session(data.work, data.settings));
  }

  /** What buttons and keys do; they are made before the parts that do it. @returns {WorkActions} */
  #actions() {
    return {
      ...markingActions(this),
      unlock: nothing,
      submit: () => this.#store(),
      keys: () => openKeys(this.screen.root, keysHere(this.data.settings)),
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
      retry: nothing,
      withdraw: nothing,
      goOn: nothing,
      keepMine: nothing,
      takeTheirs: nothing,
      takeAgain: nothing,
      glance: nothing,
    };
  }

  /** The screen's parts that belong to a queue of work; and the words for what is done here in their place. */
  #leaveOut() {
    const { bar, head, numbers } = this.screen;
    for (const made of [bar.skip, bar.discard, bar.word.root]) made.remove();
    head.root.hidden = true;
    setText(part(bar.submit, ".button-label", HTMLElement), this.data.words.store);
    bar.submit.title = `${this.data.words.store} (Ctrl+⏎)`;
    setText(numbers.noteTitle, this.data.words.reason);
    numbers.note.placeholder = this.data.words.reason_hint;
  }

  #store() {
    const { session } = this.screen;
    if (!session?.project) return;
    const problem = problemOf(session.state, session.project, session.result);
    if (problem) return this.screen.hint(problem.error, { stay: true });
    if (!session.draft.note.trim()) {
      this.screen.numbers.note.focus();
      return this.screen.hint(this.data.words.reason_missing, { stay: true });
    }
    this.trigger("version", session.draft);
  }

  /**
   * Whether another text is asked for: that is another editor.
   * @param {EditData} data
   */
  differs(data) {
    return data.project !== this.data.project || data.work.instance.id !== this.data.work.instance.id;
  }

  /**
   * Sets that were ticked since are added, those unticked go, unless they were changed here; one step, so undo leads
   * back.
   * @param {EditData} data
   * @param {Trigger} trigger
   */
  update(data, trigger) {
    const before = keysOf(this.data.work.draft.sets);
    const after = keysOf(data.work.draft.sets);
    this.data = data;
    this.trigger = trigger;
    this.screen.updateTheme();
    if (before.join() === after.join()) return;
    const { session } = this.screen;
    if (!session) return;
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

/** @param {Span[]} spans */
const keyOf = (spans) => JSON.stringify(spans);
/** @param {Span[][]} sets */
const keysOf = (sets) => sets.map(keyOf);

export default mountable((data, parent, trigger) => new Editor(data, parent, trigger));
