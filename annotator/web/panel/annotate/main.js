/**
 * The token panel: the component's entry. What it exports is called at the first mount and again at every script run;
 * the panel of an element is made once and only told what may have changed. See docs/panel.md.
 */
import { DraftStorage, PlaceMemory } from "../shared/browser_storage.js";
import { openDiscard, openKeys } from "../shared/dialogs.js";
import { afterPaint, afterwards } from "../shared/dom.js";
import { Guidelines } from "../shared/guidelines.js";
import { Messages, dayBegan } from "../shared/messages.js";
import { counted } from "../shared/naming.js";
import { Predictions } from "../shared/predictions.js";
import { Session } from "../shared/session.js";
import { mountable } from "../shared/streamlit.js";
import { Talk } from "../shared/talk.js";
import { openOwnList } from "../shared/work_flow.js";
import { _ } from "../words/language.js";
import { EarlyPlace, earlyData, takeEarly } from "./early.js";
import { Flow } from "./flow.js";
import { Keyboard, keysFor } from "./keyboard.js";
import { Marking, markingActions } from "./marking.js";
import { Pointer } from "./pointer.js";
import { Proposing } from "./proposals.js";
import { Original, Screen } from "./screen.js";

// ---- The messages (docs/panel.md): the first text may have been asked for before the panel was there

/** @extends {Messages<PanelRoutes>} */
export class PanelMessages extends Messages {
  /** @param {number} project @param {number|null} instance */
  async next(project, instance) {
    const query = { project, instance, day: dayBegan() };
    return (await takeEarly(this.urlOf("next", query))) || this.get("next", query);
  }
}

// ---- My work: what one has submitted, skipped, or proposed to discard

/** @type {import("../shared/work_flow.js").Words<MyWorkRow>} */
const WORDS = {
  title: _("My work"),
  search: _("Search by words or ID"),
  count: (n) => counted(n, "text"),
  states: {
    submitted: _("Submitted"),
    accepted: _("Accepted"),
    returned: _("Returned"),
    proposed: _("Proposed to discard"),
    discarded: _("Discarded"),
    skipped: _("Skipped"),
    draft: _("Draft"),
    "passed on": _("Given to another annotator"),
  },
  none: _("Texts you submit, skip or discard appear here."),
  noMatch: _("Nothing found. Change the search or filters."),
  facts: (row) => [row.may_reopen && _("can be reopened")],
  lines: (row) => row.lines,
};

class Panel {
  /** @param {PanelData} data @param {HTMLElement|ShadowRoot} parent @param {Trigger} trigger */
  constructor(data, parent, trigger) {
    this.data = data;
    this.trigger = trigger;
    const actions = this.#actions();
    this.screen = new Screen(parent, actions, data.mode === "read");
    this.marking = new Marking(this.screen, (session) => this.flow.changed(session));
    this.proposing = new Proposing(this.screen, this.marking);
    this.storage = new DraftStorage(undefined, data.user ?? null);
    this.messages = new PanelMessages(data.routes || "/api/panel", data.csrf);
    this.flow = new Flow({
      messages: this.messages,
      storage: this.storage,
      screen: this.screen,
      trigger: (name, value) => this.trigger(name, value),
      project: data.project,
    });
    this.talk = new Talk(data, this.screen);
    /** @type {Predictions<Session>} */
    this.answers = new Predictions(data, this.screen, ({ state }) => state.sets.map(({ spans }) => spans));
    this.original = new Original(this.messages, this.screen);
    this.screen.root.classList.toggle("brief", Boolean(data.brief));
    this.pointer = this.screen.pointer = new Pointer(this.screen.text, this.screen, this.marking);
    this.keyboard = new Keyboard(this.screen, this.marking, actions);
    this.workShown = "";
    this.place = new PlaceMemory(this.screen.root, "annotate");
    this.leaving = new AbortController();
    this.#guide(data);
    const { signal } = this.leaving;
    this.flow.outbox.listen(signal);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.screen.updateTheme(), { signal });
    if (this.isTraining) this.screen.bar.skip.hidden = this.screen.bar.discard.hidden = true;
    if (data.mode !== "read") this.screen.onshow = (session) => this.#shown(session);
    if (data.mode === "read") this.#showWork(data.work);
    else this.flow.start(data.start ?? null);
  }

  /** Texts with known gold: what belongs to real work alone (skip, discard, My work, talk, going back) is not there. */
  get isTraining() {
    return this.data.mode === "train";
  }

  /** What buttons and keys do; they are made before the parts that do it. @returns {WorkActions} */
  #actions() {
    const isRead = this.data.mode === "read";
    const { isTraining } = this;
    return {
      ...markingActions(this),
      unlock: (index) => this.marking.unlock(index),
      submit: (confirmed = false) => this.flow.submit(confirmed === true),
      skip: () => (isTraining ? undefined : this.flow.skip()),
      discard: () => (isTraining ? undefined : this.#askDiscard()),
      ask: isTraining ? undefined : () => this.flow.visit.isOne || this.talk.open(),
      answers: () => (isTraining || this.flow.visit.isOne ? undefined : this.answers.open()),
      guidelines: (reads) => this.screen.guidelines?.toggle(reads === true),
      original: isRead || isTraining ? undefined : () => this.original.open(),
      mine: isTraining ? undefined : () => this.flow.visit.isOne || this.#openMine(),
      back: isTraining ? undefined : () => this.flow.back(),
      forward: () => this.flow.forward(),
      keys: () => openKeys(this.screen.root, keysFor(this.flow.settings, this.flow.visit.isOne)),
      retry: () => this.flow.retry(),
      withdraw: () => this.flow.withdraw(),
      goOn: () => this.flow.goOn(),
      accept: (all) => this.proposing.accept(all),
      reject: (all) => this.proposing.reject(all),
      nextProposal: (by) => this.proposing.step(by),
      take: (id) => this.proposing.take(id),
      glance: (id) => this.screen.glance(id),
      keepMine: () => this.flow.keepMine(),
      takeTheirs: () => this.flow.takeTheirs(),
      takeAgain: () => this.flow.takeAgain(),
    };
  }

  #openMine() {
    openOwnList(
      this.screen.root,
      WORDS,
      (asked) => this.flow.stored().then(() => this.messages.get("mine", { project: this.data.project, ...asked })),
      (row) => this.flow.open(row.instance),
    );
  }

  /**
   * The guidelines are the page's; a panel that begins before Streamlit has none yet.
   * @param {PanelData} data
   */
  #guide(data) {
    if (this.screen.guidelines) this.screen.guidelines.update(data);
    else if (data.guidelines) this.screen.guidelines = new Guidelines(data, this.screen);
  }

  /** @param {Session} session */
  #shown(session) {
    if (!this.isTraining && !this.flow.visit.isOne) this.talk.show(session);
    this.screen.guidelines?.beforeText(session.id);
    this.#rememberPlace();
  }

  #rememberPlace() {
    if (this.isTraining) return;
    afterwards(() => {
      if (!this.flow.closed) this.place.begin();
    });
  }

  #askDiscard() {
    if (!this.marking.writable) return;
    const reasons = this.flow.settings?.discard_reasons || {};
    openDiscard(this.screen.root, reasons, (reason, comment) => this.flow.discard(reason, comment));
  }

  /** @param {Work|null} work */
  #showWork(work) {
    this.workShown = JSON.stringify(work);
    if (!work) return this.screen.showEmpty(_("Nothing to show."));
    this.screen.show(new Session({ ...work, foreign: true }, null));
  }

  /** What has the keys of the page. */
  get page() {
    return this.data.mode === "read" ? null : this.screen.root;
  }

  /**
   * Whether another project or mode is asked for, or somebody else is signed in: that is another panel.
   * @param {PanelData} data
   */
  differs(data) {
    return data.project !== this.data.project || data.mode !== this.data.mode || data.user !== this.data.user;
  }

  /**
   * A script ran again. Only a start that the page itself changed, or another work to read, redraws anything.
   * @param {PanelData} data
   * @param {Trigger} trigger
   */
  update(data, trigger) {
    const before = this.data;
    this.data = data;
    this.trigger = trigger;
    this.messages.csrf = this.talk.messages.csrf = this.answers.messages.csrf = data.csrf;
    this.screen.updateTheme();
    this.#guide(data);
    if (data.mode === "read" && JSON.stringify(data.work) !== this.workShown) this.#showWork(data.work);
    else if (data.mode !== "read" && (data.start ?? null) !== (before.start ?? null) && data.start)
      this.flow.open(data.start);
  }

  /**
   * Calls back between two drags: an element that is moved loses the pointer.
   * @param {() => void} callback
   */
  atRest(callback) {
    if (!this.pointer.drag) callback();
    else this.screen.text.addEventListener("lostpointercapture", callback, { once: true });
  }

  /**
   * Streamlit has made the place of a panel that began before it.
   * @param {HTMLElement|ShadowRoot} parent
   * @param {PanelData} data
   * @param {Trigger} trigger
   */
  moveTo(parent, data, trigger) {
    if (this.flow.closed) return;
    this.screen.moveTo(parent);
    this.update(data, trigger);
    afterPaint(() => performance.mark("annotator:taken-over"));
    this.#rememberPlace();
  }

  destroy() {
    this.place.close();
    this.flow.close();
    this.talk.close();
    this.leaving.abort();
    this.keyboard.destroy();
    this.screen.destroy();
  }
}

/**
 * The panel that was made before Streamlit was there, until it is taken over.
 * @type {{panel: Panel, place: EarlyPlace}|null}
 */
let early = null;

async function begin() {
  const place = EarlyPlace.remembered();
  if (!place || !window.annotatorEarly) return;
  const [data] = await Promise.all([earlyData(), place.open(new URL("../shared/panel.css", import.meta.url).href)]);
  if (!data || isMounted) return place.close();
  place.show();
  early = { place, panel: new Panel(data, place.root, () => {}) };
  place.watch(() => giveUp());
}

/**
 * @param {PanelData} data
 * @param {HTMLElement|ShadowRoot} parent
 * @param {Trigger} trigger
 * @returns {Panel|null}  what is taken over: a panel that shows what is asked for
 */
function takeOver(data, parent, trigger) {
  const found = early;
  if (!found || found.panel.differs(data)) return giveUp();
  early = null;
  found.place.keep();
  found.panel.atRest(() => {
    found.panel.moveTo(parent, data, trigger);
    found.place.close();
  });
  return found.panel;
}

function giveUp() {
  early?.panel.destroy();
  early?.place.close();
  early = null;
  return null;
}

let isMounted = false;
export default mountable((data, parent, trigger) => {
  isMounted = true;
  return takeOver(data, parent, trigger) ?? new Panel(data, parent, trigger);
});
begin();
