/** A button that copies a link to what is on the screen; where the browser refuses, the link stands in a field. */
import { copyText, div, element, pressable, setText } from "../shared/dom.js";
import { mountable } from "../shared/streamlit.js";
import { _ } from "../words/language.js";

const COPIED = _("Link copied.");
const BY_HAND = _("The link was not copied. Press Ctrl+C.");

class LinkCopier {
  /** @param {() => string} linkNow  the link to what is on the screen at the moment of the click */
  constructor(linkNow) {
    this.linkNow = linkNow;
    this.status = element("span", { class: "link-status", role: "status" });
    this.field = element("input", {
      class: "link-field",
      type: "text",
      readOnly: true,
      hidden: true,
      "aria-label": _("Copy link"),
    });
    this.button = pressable("button link-button", { onclick: () => this.copy() }, _("Copy link"));
    this.root = div("link-copier", this.button, this.status, this.field);
  }

  async copy() {
    const link = this.linkNow();
    const isCopied = await copyText(link);
    this.field.hidden = isCopied;
    setText(this.status, isCopied ? COPIED : BY_HAND);
    if (isCopied) return;
    this.field.value = link;
    this.field.focus();
    this.field.select();
  }

  /** Something else is on the screen now: what was said of the former link no longer holds. */
  forget() {
    setText(this.status, "");
    this.field.hidden = true;
  }
}

/** @typedef {{query: string}} CopyLinkData */

/** The same as a component of a page; it is told the parameters of the address. */
class CopyLink {
  /** @param {CopyLinkData} data @param {HTMLElement|ShadowRoot} parent */
  constructor(data, parent) {
    this.data = data;
    this.copier = new LinkCopier(() => {
      const { query } = this.data;
      return `${location.origin}${location.pathname}${query ? `?${query}` : ""}`;
    });
    this.root = div("panel", this.copier.root);
    parent.append(this.root);
  }

  differs() {
    return false;
  }

  /** @param {CopyLinkData} data */
  update(data) {
    if (data.query !== this.data.query) this.copier.forget();
    this.data = data;
  }

  destroy() {
    this.root.remove();
  }
}

export default mountable((/** @type {CopyLinkData} */ data, parent) => new CopyLink(data, parent));
