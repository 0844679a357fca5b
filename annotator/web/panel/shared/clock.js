/** Time spent on one instance since the last message about it that the server acknowledged. */

export class Clock {
  /** @param {number|undefined} idleAfter  seconds; a longer pause counts as idle */
  constructor(idleAfter, now = Date.now) {
    this.idleAfter = (idleAfter || 60) * 1000;
    this.now = now;
    this.last = null;
    /** @type {string|null} */
    this.firstAction = null;
    this.reported = false;
    this.active = 0;
    this.idle = 0;
    this.edits = 0;
  }

  /** The instance is on the screen from now on. */
  start() {
    this.last = this.now();
  }

  /** The instance has left the screen. */
  stop() {
    this.touch();
    this.last = null;
  }

  /** The person did something. */
  touch() {
    const now = this.now();
    const pause = this.last === null ? 0 : now - this.last;
    if (pause > this.idleAfter) this.idle += pause;
    else this.active += pause;
    this.last = now;
  }

  edit() {
    this.touch();
    this.edits += 1;
    this.firstAction ??= new Date(this.now()).toISOString();
  }

  /** What to send. */
  timing() {
    return {
      first_action_at: this.reported ? null : this.firstAction,
      active_ms: Math.round(this.active),
      idle_ms: Math.round(this.idle),
      edits: this.edits,
    };
  }

  /**
   * A timing reached the server: count from there on.
   * @param {Timing} timing
   */
  acknowledge(timing) {
    this.active = Math.max(0, this.active - timing.active_ms);
    this.idle = Math.max(0, this.idle - timing.idle_ms);
    this.edits = Math.max(0, this.edits - timing.edits);
    if (timing.first_action_at) this.reported = true;
  }
}
