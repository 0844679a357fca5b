/** The head of a text: what it is called, its label, and what is shown of it: which sets, which version, which maps. */
import { _ } from "../words/language.js";
import { button, element } from "../shared/dom.js";
import { goldBadge } from "../shared/gold_underlines.js";
import { goldChoice, offerGold } from "./people.js";
import { groupsOf } from "./runs.js";

/** @typedef {Pick<import("./screen.js").ScreenActions, "step"|"list"|"partner"|"gold"|"type">} TitleActions */

export class TextTitle {
  /** @param {TitleActions} actions @param {(run: number) => unknown} added  a run is to be opened as a map */
  constructor(actions, added) {
    this.actions = actions;
    this.gold = goldChoice(actions.gold);
    this.add = element("select", { class: "add-panel", "aria-label": _("Add a map") });
    this.add.addEventListener("change", () => {
      const run = Number(this.add.value);
      this.add.value = "";
      added(run);
    });
    this.partner = element("select", {
      class: "partner",
      "aria-label": _("Version beside it"),
      onchange: () => actions.partner(this.partner.value ? Number(this.partner.value) : null),
    });
    this.where = element("div", { class: "heat-where" });
    const texts = button(_("Texts"), {
      key: "i",
      title: _("Show or hide the list of texts"),
      className: "plain",
      onclick: () => actions.list(),
    });
    this.type = button(_("Type a text"), {
      key: "t",
      title: _("Change this text, or type another one, beside it"),
      className: "plain",
      onclick: () => actions.type(),
    });
    this.choose = element("div", { class: "heat-choose" }, this.gold, this.partner, this.add, this.type, texts);
    this.root = element("div", { class: "heat-title" }, this.where, this.choose);
  }

  /**
   * @param {HeatAnswer} answer
   * @param {{name: string, partner: number|null, gold: string}} looks
   *   gold: which sets are asked for; partner: the version beside it
   */
  show({ instance, gold: sets, partners, choices, policy }, { name, partner, gold }) {
    this.where.replaceChildren(
      button("‹", { title: _("Previous text"), key: "k", className: "plain", onclick: () => this.actions.step(-1) }),
      button("›", { title: _("Next text"), key: "j", className: "plain", onclick: () => this.actions.step(1) }),
      element("h2", { title: _("Key of this text: {key}", { key: instance.key }) }, name),
      element("span", { class: "gold-label" }, labelWords(instance.result)),
      ...sets.map((tokens, set) => element("span", { class: "gold-chip" }, goldBadge(set), `${tokens.length}`)),
      ...(instance.kind
        ? [
            element(
              "span",
              { class: "kind" },
              _("{kind} of {parent}", { kind: instance.kind, parent: String(instance.parent) }),
            ),
          ]
        : []),
    );
    offerGold(this.gold, { gold, policy });
    this.#offerVersions(partners, partner);
    this.add.replaceChildren(
      element("option", { value: "" }, _("Add a map …")),
      ...groupsOf(choices).map(({ first, title }) => element("option", { value: first.run }, title)),
    );
    this.add.disabled = !choices.length;
  }

  /** @param {HeatAnswer["partners"]} partners @param {number|null} partner */
  #offerVersions(partners, partner) {
    const options = partners.map(({ id, key, kind }) =>
      element("option", { value: id }, kind ? _("{key} ({kind})", { key, kind }) : _("{key} (original)", { key })),
    );
    this.partner.replaceChildren(
      element("option", { value: "" }, partners.length ? _("no version beside it") : _("no other version")),
      ...options,
      ...(partner === 0 ? [element("option", { value: 0 }, _("the typed text"))] : []),
    );
    this.partner.value = partner === null ? "" : String(partner);
    this.partner.disabled = !partners.length && partner !== 0;
  }
}

/** @param {string|null} result */
const labelWords = (result) =>
  result === null ? _("no label") : _("gold: {label}", { label: result || _("no answer") });
