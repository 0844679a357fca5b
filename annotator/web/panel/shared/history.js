/** The states that a piece of work was in, without limit: undo goes back, redo on again. Pure: no DOM. */

export class History {
  /** @param {State} state */
  constructor(state) {
    this.present = state;
    /** @type {State[]} */
    this.past = [];
    /** @type {State[]} */
    this.future = [];
  }

  /**
   * Goes on to another state; the old one can be come back to.
   * @param {State} state
   */
  push(state) {
    this.past.push(this.present);
    this.future.length = 0;
    this.present = state;
  }

  /**
   * Replaces the present without a step in the past: for what is not an edit (which set is current, the note).
   * @param {State} state
   */
  replace(state) {
    this.present = state;
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.present);
    this.present = this.#carry(/** @type {State} */ (this.past.pop()));
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.present);
    this.present = this.#carry(/** @type {State} */ (this.future.pop()));
    return true;
  }

  /** Takes the last step back as if it had not been (a double click begins with a click). */
  forget() {
    const before = this.past.pop();
    if (before) this.present = this.#carry(before);
  }

  /**
   * The note has an undo of its own in its field, so it is not changed from here.
   * @param {State} state
   */
  #carry(state) {
    return state.note === this.present.note ? state : { ...state, note: this.present.note };
  }
}
