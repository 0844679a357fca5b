/** What is asked of the server: each answer is what a route says, or words that can be shown instead. */
import { Messages } from "../shared/messages.js";
import { _ } from "../words/language.js";

/** The first answer after the server's start waits until it has loaded what it counts with. */
const PATIENCE_MS = 120_000;

export class Requests {
  /** @param {() => SaliencyData} data  as it is now: the token of a page may be renewed */
  constructor(data) {
    this.data = data;
  }

  /** @returns {Messages<SaliencyRoutes>} */
  get #messages() {
    const { routes, csrf } = this.data();
    return new Messages(routes, csrf, PATIENCE_MS);
  }

  /**
   * @template {keyof SaliencyRoutes} R
   * @param {R} route
   * @param {Query} query
   * @returns {Promise<SaliencyRoutes[R]|NoAnswer>}
   */
  async ask(route, query) {
    const { status, body } = await this.#messages.get(route, query);
    if (status === 200) return body;
    if (status === 0) return { error: _("The server did not respond. Try again.") };
    return { error: body.error || _("The server did not respond. Try again."), status };
  }

  /**
   * Changes a saved list.
   * @param {import("./saved_lists.js").Change} change
   * @param {object} body
   * @returns {Promise<SavedList|NoAnswer>}
   */
  async tell(change, body) {
    const answer = await this.#messages.post(`lists/${change}`, body);
    if (answer.status === 200) return answer.body;
    return { error: answer.body.error || _("No connection: nothing changed. Try again.") };
  }

  /**
   * The maps on the screen for a text that is typed: of the labels that stand there, so that they can be compared.
   * @param {HeatAnswer} view  the text on the screen
   * @param {import("./typed_text.js").Texts} texts
   * @returns {Promise<TypedAnswer|NoAnswer>}
   */
  async askTyped(view, texts) {
    const panels = view.panels.map(({ run, layer, label }) => `${run}:${layer ?? "-"}:${label}`);
    const answer = await this.#messages.post("typed", { instance: view.instance.id, texts, panels });
    if (answer.status === 200) return answer.body;
    return { error: answer.body.error || _("No connection. Your text stays here; keep typing to retry.") };
  }
}
