/** The review's keyboard: one key for each thing one can do. */
import { parts } from "../shared/dom.js";
import { KeyListener, isEntry, keyOf, moveRadio } from "../shared/keys.js";

export class ReviewKeyboard {
  /**
   * @param {import("./screen.js").ReviewScreen} screen
   * @param {import("./scoring.js").Scoring} scoring
   * @param {ReviewActions} actions
   */
  constructor(screen, scoring, actions) {
    this.screen = screen;
    this.scoring = scoring;
    this.actions = actions;
    this.bindings = this.#bindings();
    this.listener = new KeyListener(screen.root, (event, target) => this.#handle(event, target));
  }

  destroy() {
    this.listener.destroy();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {EventTarget|null} target
   * @returns {boolean} whether the key meant something here
   */
  #handle(event, target) {
    const { session } = this.screen;
    const key = keyOf(event);
    if (!session) return this.#withoutWork(event, key);
    session.clock.touch();
    const isControl = event.ctrlKey || event.metaKey;
    if (isControl && key === "Enter") return this.#do(this.actions.submit);
    if (isEntry(target)) return key === "Escape" && this.#do(() => this.screen.leaveComment());
    if (isControl || event.altKey) return false;
    const answer = this.#onControl(key, target);
    return answer === null ? this.#plain(event, key) : answer;
  }

  /** @param {() => unknown} action */
  #do(action) {
    action();
    return true;
  }

  /**
   * Nothing to review: the lists can still be opened.
   * @param {KeyboardEvent} event
   * @param {string} key
   */
  #withoutWork(event, key) {
    if (event.ctrlKey || event.metaKey || event.altKey || !["m", "g", "?"].includes(key)) return false;
    return this.#do(() => this.bindings[key](false));
  }

  /**
   * A radio button moves with the arrows, a button is pressed.
   * @param {string} key
   * @param {EventTarget|null} target
   */
  #onControl(key, target) {
    if (!(target instanceof Element)) return null;
    const radio = target.closest(".chip");
    if (radio instanceof HTMLElement && (key === "ArrowLeft" || key === "ArrowRight"))
      return this.#do(() => moveRadio(radio, key === "ArrowRight" ? 1 : -1));
    const choice = target.closest(".choice");
    if (choice && (key === "ArrowLeft" || key === "ArrowRight")) return this.#do(() => besideOf(choice, key)?.focus());
    if ((key === "Enter" || key === " ") && target.closest("button")) return false;
    return null;
  }

  /** @param {KeyboardEvent} event @param {string} key */
  #plain(event, key) {
    if (/^[1-9]$/.test(key)) {
      // A key that is held down gives one score, not the next ones too.
      if (!event.repeat) this.scoring.score(Number(key));
      return true;
    }
    const bound = this.bindings[key] || this.bindings[key.toLowerCase()];
    if (!bound) return false;
    bound(event.shiftKey);
    return true;
  }

  /** @returns {Record<string, (shift: boolean) => unknown>} */
  #bindings() {
    const { scoring, actions, screen } = this;
    return {
      j: () => scoring.move(1),
      k: () => scoring.move(-1),
      ArrowRight: () => scoring.arrow(true),
      ArrowLeft: () => scoring.arrow(false),
      v: () => scoring.look("all"),
      o: () => scoring.look("alone"),
      t: () => scoring.look("less"),
      x: () => scoring.look("without"),
      p: () => scoring.look("changes"),
      Escape: () => scoring.look("all"),
      Delete: () => scoring.clear(),
      Backspace: () => scoring.clear(),
      f: () => screen.foldQuestion(),
      b: () => screen.places.back(),
      z: () => actions.reading(),
      "+": () => screen.reading.step("size", 1),
      "=": () => screen.reading.step("size", 1),
      "-": () => screen.reading.step("size", -1),
      c: () => screen.focusComment(),
      s: () => actions.skip(),
      q: () => actions.ask?.(),
      w: () => actions.answers(),
      g: (shift) => actions.guidelines(shift),
      m: () => actions.mine?.(),
      "?": () => actions.keys(),
    };
  }
}

/**
 * Another step of the scale gets the focus; Enter gives it.
 * @param {Element} choice
 * @param {string} key
 */
function besideOf(choice, key) {
  const all = choice.parentElement ? parts(choice.parentElement, ".choice:not([hidden])", HTMLElement) : [];
  return all[all.findIndex((one) => one === choice) + (key === "ArrowRight" ? 1 : -1)];
}
