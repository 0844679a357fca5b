/** The token panel's messages (docs/panel.md): the first text may have been asked for before the panel was there. */
import { takeEarly } from "./early.js";
import { Messages, dayBegan } from "../shared/messages.js";

/** @extends {Messages<PanelRoutes>} */
export class PanelMessages extends Messages {
  /** @param {number} project @param {number|null} instance */
  async next(project, instance) {
    const query = { project, instance, day: dayBegan() };
    return (await takeEarly(this.urlOf("next", query))) || this.get("next", query);
  }
}
