/** The review screen: the component's entry, made of the token panel's parts. See docs/review.md. */
import { DraftStorage, PlaceMemory } from "../shared/browser_storage.js";
import { openKeys } from "../shared/dialogs.js";
import { afterwards } from "../shared/dom.js";
import { Guidelines } from "../shared/guidelines.js";
import { counted } from "../shared/naming.js";
import { Predictions } from "../shared/predictions.js";
import { mountable } from "../shared/streamlit.js";
import { Talk } from "../shared/talk.js";
import { openOwnList } from "../shared/work_flow.js";
import { _ } from "../words/language.js";
import { ReviewKeyboard, Scoring } from "./actions.js";
import { ReviewFlow, ReviewMessages } from "./flow.js";
import { REVIEW_KEYS } from "./scores.js";
import { ReviewScreen } from "./screen.js";

// ---- My reviews: what one has scored, with the scores and what came of them

/** @type {import("../shared/work_flow.js").Words<MyReviewRow>} */
const WORDS = {
  title: _("My reviews"),
  search: _("Search by words or ID"),
  count: (n) => counted(n, "review"),
  states: {
    submitted: _("Not decided yet"),
    accepted: _("Accepted"),
    returned: _("Returned"),
    discarded: _("Discarded"),
    skipped: _("Skipped"),
    draft: _("Draft"),
  },
  none: _("Reviews you score or skip appear here."),
  noMatch: _("Nothing found. Change the search or filters."),
  facts: (row) => [row.round > 1 && _("round {round}", { round: row.round }), row.may_change && _("can be changed")],
  lines: (row) => [...row.scored.map((line) => _("You: {line}", { line })), ...row.lines],
};

class ReviewPage {
  /** @param {ReviewData} data @param {HTMLElement|ShadowRoot} parent @param {Trigger} trigger */
  constructor(data, parent, trigger) {
    this.data = data;
    this.trigger = trigger;
    const actions = this.#actions();
    this.screen = new ReviewScreen(parent, actions);
    this.screen.root.classList.toggle("training", Boolean(data.training));
    this.scoring = new Scoring(this.screen, (session) => this.flow.changed(session));
    this.storage = new DraftStorage("annotator:review:", data.user ?? null);
    this.messages = new ReviewMessages(data.routes, data.csrf);
    this.flow = new ReviewFlow({
      messages: this.messages,
      storage: this.storage,
      screen: this.screen,
      trigger: (name, value) => this.trigger(name, value),
      project: data.project,
    });
    this.talk = new Talk(data, this.screen);
    /** @type {Predictions<ReviewSession>} */
    this.answers = new Predictions(data, this.screen, ({ work }) => work.sets.map(({ spans }) => spans));
    this.keyboard = new ReviewKeyboard(this.screen, this.scoring, actions);
    this.guidelines = this.screen.guidelines = new Guidelines(data, this.screen);
    this.place = new PlaceMemory(this.screen.root, "review");
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    this.flow.outbox.listen(signal);
    window.addEventListener("focus", () => this.flow.lookAgain(), { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.screen.updateTheme(), { signal });
    this.screen.root.addEventListener("pointerdown", () => this.screen.session?.clock.touch(), { signal });
    this.screen.onshow = (session) => {
      if (!data.training) this.talk.show(session);
      this.guidelines.beforeText(session.id);
      if (!data.training) afterwards(() => this.flow.closed || this.place.begin());
    };
    this.flow.start(data.start ?? null);
  }

  /** What buttons and keys do; they are made before the parts that do it. @returns {ReviewActions} */
  #actions() {
    const isTraining = Boolean(this.data.training);
    return {
      hover: (index) => this.screen.hover(index),
      choose: (set, property) => this.scoring.choose(set, property),
      score: (value) => this.scoring.score(value),
      move: (by) => this.scoring.move(by),
      look: (view) => this.scoring.look(view),
      arrow: (right) => this.scoring.arrow(right),
      point: (token) => this.scoring.point(token),
      comment: (set, text) => this.scoring.comment(set, text),
      submit: () => this.flow.submit(),
      skip: () => (isTraining ? undefined : this.flow.skip()),
      ask: isTraining ? undefined : () => this.talk.open(),
      answers: () => (isTraining ? undefined : this.answers.open()),
      guidelines: (reads) => this.guidelines.toggle(reads === true),
      mine: isTraining ? undefined : () => this.#openMine(),
      reading: () => this.screen.reading.open(),
      keys: () => openKeys(this.screen.root, REVIEW_KEYS),
      retry: () => this.flow.retry(),
      goOn: () => this.flow.goOn(),
      takeBack: () => this.flow.takeBack(),
      keepMine: () => this.flow.keepMine(),
      takeTheirs: () => this.flow.takeTheirs(),
      focusText: () => this.screen.focusText(),
    };
  }

  #openMine() {
    openOwnList(
      this.screen.root,
      WORDS,
      (asked) => this.flow.stored().then(() => this.messages.mine(this.data.project, asked)),
      (row) => this.flow.open(row.annotation),
    );
  }

  /** What has the keys of the page. */
  get page() {
    return this.screen.root;
  }

  /**
   * Whether another project is asked for, or somebody else is signed in: that is another screen.
   * @param {ReviewData} data
   */
  differs(data) {
    return data.project !== this.data.project || data.user !== this.data.user;
  }

  /**
   * A script ran again. Only a start that the page itself changed draws anything.
   * @param {ReviewData} data
   * @param {Trigger} trigger
   */
  update(data, trigger) {
    const before = this.data;
    this.data = data;
    this.trigger = trigger;
    this.messages.csrf = this.talk.messages.csrf = this.answers.messages.csrf = data.csrf;
    this.screen.updateTheme();
    this.guidelines.update(data);
    if (data.start && data.start !== before.start) this.flow.open(data.start);
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

export default mountable((data, parent, trigger) => new ReviewPage(data, parent, trigger));
