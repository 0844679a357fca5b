/**
 * The Saliency screen: the component's entry. It asks its own routes; the address holds what is shown, so a view can be
 * shared.
 */
import { openKeys } from "../shared/dialogs.js";
import { PlaceMemory } from "../shared/browser_storage.js";
import { KeyListener, act, isCombined, isEntry, pageBegan, parts } from "../shared/dom.js";
import { mountable, rememberAddress } from "../shared/streamlit.js";
import { _, together } from "../words/language.js";
import { saveShown } from "./export.js";
import {
  FLAGS,
  IN_THIS_TAB,
  copyLink,
  drawnOf,
  goldOf,
  goneOf,
  goneParts,
  goneSteps,
  goneWords,
  panelsOf,
  stateOf,
  stepsOf,
  stepsText,
  typedOf,
  typedText,
} from "./link.js";
import { Requests } from "./requests.js";
import { SavedLists } from "./saved_lists.js";
import { Scatter } from "./scatter.js";
import { SaliencyScreen } from "./screen.js";
import { missingWords, whichOf } from "./slices.js";
import { InstanceList } from "./text_list.js";
import { TypedMemory, TypedSaving, TypedText } from "./typed_text.js";

// ---- The keys as the page lists them

/** @type {KeyGroup[]} */
const KEYS = [
  [
    _("Texts"),
    [
      ["j", _("Next text")],
      ["k", _("Previous text")],
      ["i", _("Show or hide the list")],
      ["/", _("Search by words or ID")],
      ["f", _("Slices: by label, split, length, metadata or annotators")],
      ["d", _("Scatter plot of two numbers")],
      ["t", _("Edit a copy of this text, or type another")],
      ["Esc", _("Leave a field or menu; else close the typed text")],
      ["l", _("Save the listed texts, or list this one")],
    ],
  ],
  [
    _("Heatmaps"),
    [
      ["← →", _("next or previous word")],
      ["[ ]", _("One token fewer or more in the top k")],
      ["s", _("Use one scale per method")],
      ["m", _("Show sizes without signs")],
      ["c", _("Cut the scale at the 98th percentile")],
      ["n", _("Show the scores under the words")],
      ["b", _("Show the highest scores as bars")],
      ["p", _("Show the model's subwords")],
      ["x", _("Show a matrix of heatmaps by tokens")],
      ["g", _("Each person's sets below the words, or the gold")],
      ["e", _("Export the heatmaps")],
      ["u", _("Copy link")],
      ["?", _("this list")],
    ],
  ],
];

const MOST_MAPS = 8;
/** The number of a text that is not stored. */
const TYPED = 0;
/** What the server answers of a text that is not there. */
const GONE = 404;

class Saliency {
  /** @param {SaliencyData} data @param {HTMLElement|ShadowRoot} parent */
  constructor(data, parent) {
    this.data = data;
    this.server = new Requests(() => this.data);
    const asked = new URLSearchParams(location.search);
    /** @type {URLSearchParams|null}  the address that one came with, until what it asks for is on the screen */
    this.link = asked;
    /** Whether the first address is a link that was opened, and not the page that is loaded again. */
    this.cameByLink = wasNavigated();
    /** The page's own place; going back may lead away from it. */
    this.place = location.pathname;
    /** @type {string[]|null}  null: the server chooses */
    this.panels = null;
    /** @type {number|null} */
    this.partnerId = null;
    /** What stands below the words: "" the project's gold, the name of a policy, or "people". */
    this.gold = "";
    this.state = stateOf(asked);
    /** Another screen has taken the place; what comes from now on was asked for this one. */
    this.closed = false;
    /** @type {HeatAnswer|null}  the text on the screen */
    this.view = null;
    /** The newest question for a text. */
    this.asked = 0;
    /** Another text is on its way: the address says already, or will say, what comes. */
    this.isOpening = false;
    /** @type {string|null}  the map that was opened because the texts are ordered by its run */
    this.openedByOrder = null;
    this.screen = new SaliencyScreen(parent, this.#actions(), this.state);
    this.memory = new PlaceMemory(this.screen.root, "saliency");
    this.saved = new SavedLists({
      atRest: data.at_rest,
      ask: (query) => this.server.ask("lists", query),
      tell: (change, body) => this.server.tell(change, body),
      chosen: () => this.list.load(1),
      root: () => this.screen.root,
      shown: () => ({
        project: this.data.project,
        instance: this.view?.instance,
        listed: this.list.query,
        n: this.list.n,
      }),
    });
    /** @type {Scatter} */
    this.scatter = new Scatter({
      ask: (query) => this.server.ask("points", { project: data.project, ...query }),
      listed: () => this.list.queryOfAll,
      drawn: () => this.list.drawRows(),
      changed: () => this.list.load(1),
      remember: () => this.#remember(),
      open: (id) => this.open(id),
    });
    /** @type {InstanceList} */
    this.list = new InstanceList(
      {
        ask: (query) => this.server.ask("list", { project: data.project, ...query }),
        askSlices: (query) => this.server.ask("slices", { project: data.project, ...query }),
        askSliceNames: () => this.server.ask("slice_names", { project: data.project }),
        open: (id) => this.open(id),
        listed: () => this.#listed(),
        run: (run, layer) => this.#openRun(run, layer),
      },
      this.saved,
      this.scatter,
    );
    this.screen.root.insertBefore(this.list.root, this.screen.main);
    const saving = new TypedSaving(data, () => ({ root: this.screen.root, view: this.view, texts: this.typed.now }));
    /** @type {TypedText} */
    this.typed = new TypedText(
      {
        ask: async (texts) => (this.view ? this.server.askTyped(this.view, texts) : { error: "" }),
        show: (answer) => this.view && this.screen.show(this.view, answer),
        remember: (isStep) => this.#remember(isStep),
        saveVersion: () => saving.openVersion(),
        saveCase: () => saving.openCase(),
      },
      { mayWrite: data.may_write, hasLabels: data.labels.length > 0, memory: new TypedMemory(data.user, data.project) },
    );
    this.screen.main.prepend(this.scatter.root);
    this.screen.content.before(this.typed.root);
    this.keyboard = new KeyListener(this.screen.root, (event, target) => this.#key(event, target));
    this.travelled = () => this.#travel();
    addEventListener("popstate", this.travelled);
    this.#begin(data.start).finally(() => this.#drawn());
  }

  /** What stands below on the page keeps its place from now on, so it may be shown (routes/documents.py). */
  #drawn() {
    const root = this.screen.root.getRootNode();
    const host = root instanceof ShadowRoot ? root.host : null;
    host?.closest('[class*="st-key-saliency_"]')?.setAttribute("data-drawn", "");
    pageBegan();
    if (!this.closed) this.memory.begin();
  }

  /** Another list is shown. */
  #listed() {
    this.screen.drawGroup(this.list.slices.query.member ?? "");
    this.scatter.refresh();
    this.#remember();
  }

  /** @returns {import("./screen.js").ScreenActions} */
  #actions() {
    return {
      step: (by) => this.step(by),
      list: () => this.#toggleList(),
      partner: (id) => this.#choosePartner(id),
      type: () => this.#type(),
      copy: () => this.#copy(),
      gold: (gold) => this.#chooseGold(gold),
      goldAsked: () => this.gold,
      remember: () => this.#remember(),
      add: (panel) => this.#setPanels([...(this.panels || []), panel]),
      hasRuns: () => this.list.runs.some((run) => run.method),
      remove: (place) => this.#setPanels((this.panels ?? []).filter((_, at) => at !== place)),
      choose: (place, panel, what) => this.#choosePanel(place, panel, what),
      save: (kind) => this.view && saveShown(kind, this.screen, this.view),
    };
  }

  /** @param {number|null|undefined} start */
  async #begin(start) {
    const numbers = await this.server.ask("numbers", { project: this.data.project });
    if ("error" in numbers) return this.screen.say(numbers.error);
    this.list.offer(numbers);
    this.scatter.offer(numbers);
    const { link } = this;
    const isThere = await this.saved.load(link ? (link.get("list") ?? "") : this.saved.value);
    if (link) this.#take(link, numbers);
    await this.list.load(1);
    pageBegan(".begin-main");
    if (this.link !== link) return undefined; // somebody went on meanwhile
    this.link = null;
    const lost = await this.#openFirst(start);
    const { run } = this.list;
    if (link?.get("by") && !link.has("panels") && run && this.view) await this.#openRun(run.id, run.layer);
    if (!link || (!this.view && this.list.rows.length)) return undefined;
    const parted = await this.#leaveGoneParts(link);
    const words = [
      this.#wordsOfLink(link, numbers, lost, parted),
      this.view ? this.#takeTyped(link) : this.#wordsOfNothing(),
    ];
    if (!isThere) words.push(_("The list in this link no longer exists: showing all texts."));
    return this.screen.sayOfLink(together(...words));
  }

  /**
   * Opens a text, or the first of the list where none is asked for or it is gone; answers which one is gone.
   * @param {number|null|undefined} start
   */
  async #openFirst(start) {
    const lost = start && (await this.open(start)) === "gone" ? start : null;
    const first = this.list.rows[0]?.id;
    if (start && !lost) return null;
    if (first) await this.open(first);
    else this.screen.say(this.#wordsOfNothing());
    return lost;
  }

  /** What an address asks for, as far as it is there. @param {URLSearchParams} link @param {MeasuredNumbers} numbers */
  #take(link, numbers) {
    if (!link.has("typed")) this.typed.close();
    this.panels = panelsOf(link, numbers.runs);
    this.partnerId = Number(link.get("partner")) || null;
    this.gold = goldOf(link);
    this.screen.drawnNext = drawnOf(link);
    this.screen.stepsNext = stepsOf(link);
    Object.assign(this.state, stateOf(link));
    this.screen.followState();
    this.scatter.restore(link);
    this.list.restore(link);
  }

  /**
   * Opens the maps of a link without the layers and labels that the text lacks; answers which.
   * @param {URLSearchParams} link
   */
  async #leaveGoneParts(link) {
    if (!link.has("panels") || !this.panels || !this.view) return [];
    const { gone, panels } = goneParts(this.panels, this.view.choices);
    if (gone.length) await this.#setPanels(panels);
    return gone;
  }

  /**
   * What of a link cannot be shown, and what is shown in its place.
   * @param {URLSearchParams} link
   * @param {MeasuredNumbers} numbers
   * @param {number|null} lost  the text that it names, where that is gone
   * @param {string[]} parted  layers and labels that the text lacks
   */
  #wordsOfLink(link, numbers, lost, parted) {
    const isAlone = !lost && link.get("partner") && !link.has("typed") && this.partnerId === null;
    const steps = this.view && !lost ? goneSteps(link, this.screen.steps) : [];
    const gone = [...new Set([...parted, ...goneOf(link, numbers), ...steps])];
    if (lost) gone.unshift(missingWords(_("Text"), String(lost)));
    if (isAlone) gone.push(_("Version beside it"));
    const instead = [];
    if (parted.length) instead.push(_("Their runs are shown as they are."));
    if (lost && this.view) instead.push(_("The first listed text is open instead."));
    if (whichOf(link, numbers.runs).isAll) instead.push(_("All texts are listed."));
    return goneWords(gone, instead);
  }

  /** Shows the typed text of an address; answers why not. @param {URLSearchParams} link */
  #takeTyped(link) {
    const text = link.get("typed");
    const id = this.view?.instance.id;
    const told = text && text !== IN_THIS_TAB ? typedOf(text) : null;
    // An address is a moment behind the typing: what this tab itself typed is newer, unless one came by a link.
    const texts = told && (this.cameByLink || !this.typed.texts.get(id ?? TYPED)) ? told : null;
    this.cameByLink = false;
    if (!text || id === undefined || (text !== IN_THIS_TAB && !told)) {
      this.typed.close();
      return "";
    }
    if (!texts && !this.typed.texts.get(id)) return _("Too long for a link. Share it as a test case.");
    this.typed.restore(texts);
    return "";
  }

  /** The browser's way back, or on again, led to another address of this page. */
  #travel() {
    if (this.closed || location.pathname !== this.place) return;
    this.link = new URLSearchParams(location.search);
    this.openedByOrder = null;
    if (Number(this.link.get("project") || this.data.project) !== this.data.project) return;
    this.#begin(Number(this.link.get("instance")) || null);
  }

  async #copy() {
    if (!this.view) return;
    this.#remember();
    const isCut = new URLSearchParams(location.search).get("typed") === IN_THIS_TAB;
    const isCopied = await copyLink(this.screen.root, location.href);
    const words = [isCopied ? _("Link copied.") : "", isCut ? _("Too long for a link. Share it as a test case.") : ""];
    const told = together(...words);
    if (isCut)
      this.screen.sayOfLink(told); // stays when the typed text is answered meanwhile
    else if (told) this.screen.say(told);
  }

  #wordsOfNothing() {
    if (Object.values(this.list.asked).some(Boolean)) return _("Nothing found. Change the search or filters.");
    return this.data.may_import ? _("No texts yet. Import some.") : _("No texts yet. A lead can import some.");
  }

  /**
   * Opens a text with the panels that are chosen; the first time the server chooses them. Answers whether it is gone,
   * which of this project every text of another one is.
   * @param {number} id
   * @returns {Promise<"gone"|undefined>}
   */
  async open(id) {
    const asked = (this.asked += 1);
    this.isOpening = true;
    const view = await this.server.ask("instance", { instance: id, panels: this.panels?.join(","), gold: this.gold });
    if (this.asked !== asked) return undefined;
    this.isOpening = false;
    if ("error" in view) {
      this.screen.say(view.error);
      return view.status === GONE ? "gone" : undefined;
    }
    if (view.project !== this.data.project) return "gone";
    this.view = view;
    if (!this.panels && view.panels.length)
      this.panels = view.panels.map((panel) => `${panel.run}:${panel.layer ?? "-"}:${panel.asked_label ?? ""}`);
    const isBeside = !this.typed.isOpen && view.partners.some((one) => one.id === this.partnerId);
    const partner = isBeside ? await this.#askPartner(id) : null;
    if (this.asked !== asked) return undefined;
    if (!partner) this.partnerId = null;
    this.screen.show(view, partner);
    pageBegan();
    this.typed.follow(view);
    this.list.mark(id);
    this.scatter.mark(id);
    return undefined;
  }

  /** @param {number} id */
  async #askPartner(id) {
    const partner = await this.server.ask("partner", {
      instance: id,
      partner: this.partnerId,
      panels: (this.panels || []).join(","),
      gold: this.gold,
    });
    if (!("error" in partner)) return partner;
    this.screen.say(partner.error);
    return null;
  }

  /** The typed text stands in the place of another version. */
  #type() {
    this.partnerId = null;
    this.typed.open();
  }

  /** @param {number|null} id */
  #choosePartner(id) {
    if (id === TYPED) return undefined;
    this.typed.close();
    this.partnerId = id;
    return this.#openAnew();
  }

  /** @param {string} gold */
  #chooseGold(gold) {
    this.gold = gold;
    return this.#openAnew();
  }

  async #openAnew() {
    if (this.view) await this.open(this.view.instance.id);
  }

  /**
   * Opens the run that the texts are ordered by as a map, unless one of its maps is there already. It takes the place
   * of the one that was opened so before: with the arrow keys one passes every run of the menu.
   * @param {number} run
   * @param {string} layer
   */
  #openRun(run, layer) {
    const panels = (this.panels || []).filter((panel) => panel !== this.openedByOrder);
    if (!this.view || this.panels?.some((panel) => panel.startsWith(`${run}:`))) return undefined;
    const choice = this.view.choices.find((one) => one.run === run);
    if (!choice) return this.screen.say(_("The run that orders the list lacks this text."));
    if (panels.length >= MOST_MAPS)
      return this.screen.say(_("{most} heatmaps are open, the maximum. Remove one first.", { most: MOST_MAPS }));
    this.openedByOrder = `${run}:${layer}:`;
    return this.#setPanels([this.openedByOrder, ...panels]);
  }

  /** @param {string[]} panels */
  #setPanels(panels) {
    this.panels = [...new Set(panels)];
    return this.#openAnew();
  }

  /**
   * Another layer or label in the place of a panel; the focus stays on the choice.
   * @param {number} place
   * @param {string} panel
   * @param {string} what
   */
  async #choosePanel(place, panel, what) {
    await this.#setPanels((this.panels ?? []).map((one, at) => (at === place ? panel : one)));
    const map = this.screen.maps[place];
    if (map) parts(map.root, `select[aria-label^="${what}"]`, HTMLSelectElement)[0]?.focus();
  }

  /** @param {number} by */
  async step(by) {
    const next = await this.list.neighbour(by);
    if (next !== null) await this.open(next);
    else this.screen.say(by > 0 ? _("This is the last text listed.") : _("This is the first text listed."));
  }

  #toggleList() {
    this.list.root.hidden = !this.list.root.hidden;
  }

  /**
   * The address says what is on screen: text, panels, partner, k, looks, and what is listed.
   * @param {boolean} isStep  the browser's way back leads to what was there before, as it does from another text
   */
  #remember(isStep = false) {
    if (this.closed || !this.view || this.link || this.isOpening) return;
    const { id } = this.view.instance;
    const before = new URLSearchParams(location.search).get("instance");
    const { changed } = this.typed;
    const { drawn } = this.screen;
    const looks = FLAGS.filter((name) => this.state[name]).join(" ");
    const values = {
      project: this.data.project,
      instance: id,
      panels: this.panels?.join(","),
      partner: this.partnerId,
      gold: this.gold,
      drawn: this.gold === "people" ? drawn?.map((person) => person + 1).join(",") : "",
      k: this.state.share,
      looks,
      written: stepsText(this.screen.steps),
      typed: changed ? typedText(changed) : "",
      ...this.list.asked,
    };
    rememberAddress(values, isStep || (before !== null && before !== String(id)));
  }

  /** @param {KeyboardEvent} event @param {EventTarget|null} target */
  #key(event, target) {
    if (event.key === "Escape") return this.#leave(target);
    if (event.key === "Enter" && target instanceof HTMLInputElement) return this.#leave(target);
    const isRange = target instanceof HTMLInputElement && target.type === "range";
    if (isEntry(target) && !(isRange && !event.key.startsWith("Arrow"))) return false;
    if (isCombined(event)) return false;
    const { screen } = this;
    const acts = {
      j: () => this.step(1),
      k: () => this.step(-1),
      i: () => this.#toggleList(),
      "/": () => this.list.words.focus(),
      "[": () => screen.nudge(-1),
      "]": () => screen.nudge(1),
      s: () => screen.flip("shared"),
      m: () => screen.flip("magnitude"),
      c: () => screen.flip("clip"),
      n: () => screen.flip("numbers"),
      b: () => screen.flip("bars"),
      p: () => screen.flip("pieces"),
      x: () => screen.flip("matrix"),
      g: () => this.#chooseGold(this.gold === "people" ? "" : "people"),
      e: () => screen.openExport(),
      l: () => this.saved.open(),
      u: () => this.#copy(),
      t: () => this.#type(),
      d: () => this.scatter.toggle(),
      f: () => this.list.slices.open(),
      ArrowRight: () => screen.stepToken(1),
      ArrowLeft: () => screen.stepToken(-1),
      "?": () => openKeys(screen.root, KEYS),
    };
    return act(acts, event.key);
  }

  /**
   * The keys mean the screen again: out of a field, whose change counts then, and else the typed text is closed.
   * @param {EventTarget|null} target
   */
  #leave(target) {
    const isTyped = target instanceof Node && this.typed.root.contains(target);
    const isLeft = isEntry(target) && !isTyped;
    if (!isLeft && !this.typed.isOpen) return false;
    this.screen.root.focus({ preventScroll: true });
    if (!isLeft) this.typed.close(true);
    return true;
  }

  /** What has the keys of the page. */
  get page() {
    return this.screen.root;
  }

  /** @param {SaliencyData} data */
  differs(data) {
    return data.project !== this.data.project;
  }

  /** @param {SaliencyData} data */
  update(data) {
    const { measured, start } = this.data;
    this.data = data;
    this.screen.updateTheme();
    this.scatter.updateTheme();
    if (data.measured !== measured) this.#begin(this.view?.instance.id);
    else if (data.start && data.start !== start && data.start !== this.view?.instance.id && start !== undefined)
      this.#remember();
  }

  destroy() {
    this.closed = true;
    removeEventListener("popstate", this.travelled);
    this.keyboard.destroy();
    this.memory.close();
    this.scatter.destroy();
    this.screen.destroy();
  }
}

/** Whether this page was asked for by an address, and not loaded again or come back to. */
const wasNavigated = () => {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming && entry.type === "navigate";
};

export default mountable((data, parent) => new Saliency(data, parent));
