/** What a person can do to the instance on the screen: each action changes its state, shows it and saves it. */
import { placeAnswer } from "./answering.js";
import { spokenLabel } from "../shared/choices.js";
import * as model from "../shared/model.js";
import { changeWords, counted, countWords, within, without } from "../shared/spoken.js";

export class Marking {
  /**
   * @param {import("./screen.js").Screen} screen
   * @param {(session: import("../shared/session.js").Session) => void} onchange
   */
  constructor(screen, onchange) {
    this.screen = screen;
    this.onchange = onchange;
  }

  get session() {
    return this.screen.session;
  }

  get state() {
    return this.session?.state;
  }

  get labelsOnly() {
    return this.session?.project?.result_mode === "labels_only";
  }

  /** Whether anything may be changed now. */
  get writable() {
    return Boolean(this.session?.open) && !this.screen.readOnly;
  }

  /** One step of the history. @param {(state: model.State) => model.State} change */
  edit(change, say) {
    if (!this.writable) return false;
    const before = this.state;
    const after = change(before);
    if (after === before) return false;
    this.session.history.push(after);
    this.#changed(say);
    return true;
  }

  #changed(say) {
    const { session } = this;
    session.version += 1;
    session.clock.edit();
    if (!session.held) session.problem = null;
    this.screen.refresh();
    this.screen.markedAt();
    if (say) this.screen.announce(typeof say === "function" ? say(this.state) : say);
    this.onchange(session);
  }

  /** Spans of different segments never join, even where their token indices are neighbours. */
  #same = (a, b) => this.session.map.segmentOf(a) === this.session.map.segmentOf(b);

  /** Whether the current set may take these spans; says why if not. */
  #allowed(spans) {
    if (!this.writable || this.labelsOnly) return false;
    const { state } = this;
    const letter = model.letterOf(state.current);
    if (state.sets[state.current].locked) {
      this.screen.hint(`Set ${letter} has passed and is locked. Unlock it (u) to change it, or make a new set (n).`);
      return false;
    }
    if (this.session.project?.sets_may_cross_segments !== false) return true;
    const segments = this.session.map.segmentsOf([...state.sets[state.current].spans, ...spans]);
    if (segments.length <= 1) return true;
    const there = this.session.map.segments[segments[0]].title || this.session.map.segments[segments[0]].name;
    this.screen.hint(
      `In this project a set must lie in one segment, and set ${letter} lies in “${there}”. Make a new set (n) for the other segment.`,
    );
    return false;
  }

  /** "3 words added to set A: “the room was”": what a change really added or removed. */
  #say(verb, spans) {
    const place = `set ${model.letterOf(this.state.current)}`;
    return () => changeWords(this.session.map, verb, place, spans);
  }

  get #held() {
    return this.state.sets[this.state.current].spans;
  }

  add(spans) {
    if (!spans.length || !this.#allowed(spans)) return;
    this.edit((state) => model.addSpans(state, spans, this.#same), this.#say("added to", without(spans, this.#held)));
  }

  remove(spans) {
    if (!spans.length || !this.#allowed([])) return;
    this.edit((state) => model.removeSpans(state, spans), this.#say("removed from", within(spans, this.#held)));
  }

  /** Whether the next words that are selected are the answer. */
  get isPicking() {
    return Boolean(this.screen.looks.answer) && this.writable;
  }

  /**
   * The words of the text become the answer, as they stand there; after that one marks the set again that one was at.
   */
  pick(spans) {
    if (!spans.length || !this.isPicking) return;
    const { session } = this;
    const words = placeAnswer(session, spans[0]);
    this.screen.looks.answer = false;
    const isNew = this.edit((state) => model.setResult(state, words));
    if (!isNew) this.screen.refresh();
    const again = this.labelsOnly ? "" : `; set ${model.letterOf(this.state.current)} again`;
    this.screen.announce(`answer: “${words}”${again}`);
  }

  /** Whether the project asks for an answer that may be given here. */
  get #answers() {
    const { project } = this.session ?? {};
    return project?.result_kind === "answer" && project.result_mode !== "confirm" && this.writable;
  }

  /** Says that the text holds no answer, or takes that back. */
  noAnswer() {
    if (!this.#answers) return;
    const isSaid = this.state.result === "";
    this.edit((state) => model.setNoAnswer(state, !isSaid), isSaid ? "no longer “no answer”" : "no answer");
  }

  /** Adds the spans, or removes them if the set holds them all; in the erase mode always removes. */
  toggle(spans) {
    if (!spans.length) return;
    if (this.isPicking) return this.pick(spans);
    const held =
      this.state?.sets[this.state.current] &&
      spans.every((span) => model.covers(this.state.sets[this.state.current].spans, span));
    if (held || this.screen.looks.erase) this.remove(spans);
    else this.add(spans);
  }

  /** The sentence of a token, in place of the click that the double click began with. */
  sentence(token, erase) {
    const [start, end] = this.session.map.sentenceOf(token);
    const spans = this.session.map.spansBetween(this.session.map.rankOf(start), this.session.map.rankOf(end - 1));
    if (erase) this.remove(spans);
    else this.add(spans);
  }

  /** Takes back the click that a double click began with. */
  forgetLast() {
    if (!this.writable) return;
    this.session.history.forget();
    this.session.version += 1;
    this.screen.refresh();
    this.onchange(this.session);
  }

  clear() {
    if (!this.writable || this.labelsOnly || !this.#allowed([])) return;
    const { sets, current } = this.state;
    const { size } = sets[current];
    const gone = `set ${model.letterOf(current)} ${size ? `cleared, ${countWords(size)}` : "removed"}`;
    this.edit(model.clearSet, gone);
  }

  /** Which set is current is no edit; a new set becomes one with its first token. */
  choose(index) {
    if (!this.session || this.labelsOnly) return;
    if (this.screen.readMode) return this.#glance(index);
    this.screen.looks.answer = false;
    const after = index === this.state.sets.length ? model.newSet(this.state) : model.chooseSet(this.state, index);
    this.#goTo(after);
  }

  newSet() {
    if (!this.writable || this.labelsOnly) return;
    this.screen.looks.answer = false;
    this.#goTo(model.newSet(this.state));
  }

  #goTo(after) {
    if (after === this.state) return this.screen.refresh();
    this.session.history.replace(after);
    this.screen.refresh();
    const set = after.sets[after.current];
    this.screen.announce(
      `set ${model.letterOf(after.current)}, ${counted(set.size, "token")}${set.locked ? ", locked" : ""}`,
    );
  }

  /** Where nothing can be marked, a chosen set is only looked at. */
  #glance(index) {
    this.screen.looks.pinned = this.screen.looks.pinned === index ? null : index;
    this.screen.refresh();
  }

  unlock(index = this.state?.current) {
    this.edit((state) => model.unlockSet(state, index), `set ${model.letterOf(index)} unlocked`);
  }

  setResult(result) {
    const typed = this.session?.project?.result_kind === "answer";
    this.edit(
      (state) => model.setResult(state, result),
      typed ? null : spokenLabel(result, this.session?.work.instance),
    );
  }

  /** The next label, or the previous one. */
  cycleLabel(step) {
    const project = this.session?.project;
    if (!this.writable || project.result_mode === "confirm") return;
    if (project.result_kind === "answer") return this.screen.bar.focusAnswer();
    const at = project.labels.indexOf(this.session.result);
    const count = project.labels.length;
    const next = at < 0 ? (step > 0 ? 0 : count - 1) : (at + step + count) % count;
    this.setResult(project.labels[next]);
  }

  toggleNoRationale() {
    if (!this.writable || !this.session.project?.may_be_empty || this.labelsOnly) return;
    if (this.state.sets.some((set) => set.locked)) {
      this.screen.hint("A set that passed is locked, so there is a rationale. Unlock the set first (u).");
      return;
    }
    const on = !this.state.noRationale;
    this.edit((state) => model.setNoRationale(state, on), on ? "no rationale in the text" : "rationale sets again");
  }

  setNote(note) {
    if (!this.writable) return;
    this.session.history.replace(model.setNote(this.state, note));
    this.session.version += 1;
    this.session.clock.edit();
    this.onchange(this.session);
  }

  undo() {
    this.#step("undo", "undone");
  }

  redo() {
    this.#step("redo", "redone");
  }

  #step(way, word) {
    if (!this.writable) return;
    if (!this.session.history[way]()) return this.screen.hint(way === "undo" ? "Nothing to undo." : "Nothing to redo.");
    this.#changed(word);
  }

  /** Views: they change what is seen, not what is marked. */
  toggleLook(name) {
    const { looks } = this.screen;
    if (name === "answer" && !this.#answers) return;
    const on = !looks[name];
    Object.assign(looks, { only: false, hide: false, [name]: on });
    this.screen.refresh();
    if (name === "answer") return this.#saysPicking(on);
    const words = { erase: "erase mode", only: "this set only", hide: "hide all sets" };
    this.screen.announce(`${words[name]} ${on ? "on" : "off"}`);
  }

  /** While the answer is selected the hand is in the text, wherever the mode was begun. */
  #saysPicking(on) {
    if (on) this.screen.focusText();
    const set = this.labelsOnly ? "" : ` Set ${model.letterOf(this.state.current)} again.`;
    this.screen.announce(
      on ? "Select the answer in the text, or press Escape to cancel." : `No answer selected.${set}`,
    );
  }
}
