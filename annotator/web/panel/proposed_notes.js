/** Below the numbers: what is to be known of proposed sets before they are accepted. */
import { element } from "./dom.js";

export class ProposedNotes {
  constructor() {
    this.root = element("div", { class: "proposed-notes", role: "note" });
  }

  /** @param {import("./session.js").Session} session */
  update({ offer }) {
    const { open, notes } = offer;
    const lines = [...open.flatMap((one) => one.notes), ...notes];
    const key = lines.join("\n");
    this.root.hidden = !lines.length;
    if (key === this.drawn) return;
    this.drawn = key;
    this.root.replaceChildren(element("p", { class: "note-title" }, "Proposed from the original"), ...lines.map((line) => element("p", {}, line)));
  }
}
