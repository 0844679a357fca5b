/** A list of one's own work: searched, by state, page by page. What it is called and what a line says is its page's. */
import { _ } from "../words/language.js";
import { openDialog, when } from "./dialogs.js";
import { button, element, setText } from "./dom.js";
import { sentenceOf } from "./messages.js";
import { isMachineKey } from "./naming.js";
import { counted } from "./spoken.js";

const PAUSE_MS = 250;

/**
 * @template {OwnRow} Row
 * @typedef {Object} Words
 * @property {string} title
 * @property {string} search  what the field for words is called
 * @property {(n: number) => string} count  so many lines ("3 texts")
 * @property {Object<string, string>} states  in the words of the screen
 * @property {string} none  the list is empty
 * @property {string} noMatch  nothing is found
 * @property {(row: Row) => Array<string|null|false>} facts  beside the state
 * @property {(row: Row) => string[]} lines  below them
 */

/** @typedef {{page: number, state: string, words: string}} Asked */

/**
 * @template {OwnRow} Row
 * @param {HTMLElement} root
 * @param {Words<Row>} words
 * @param {(asked: Asked) => Promise<Answer<OwnPage<Row>, object>>} fetchPage
 * @param {(row: Row) => void} onopen
 */
export function openOwnList(root, words, fetchPage, onopen) {
  const asked = { page: 1, state: "", words: "" };
  const list = element("div", { class: "mine" });
  const where = element("span", { class: "page-words", role: "status" });
  const search = element("input", {
    type: "text",
    class: "answer",
    placeholder: _("words or key"),
    "aria-label": words.search,
    oninput: () => later({ words: search.value }),
  });
  const state = element(
    "select",
    { class: "labels", "aria-label": _("State"), onchange: () => ask({ state: state.value, page: 1 }) },
    element("option", { value: "" }, _("All states")),
    ...Object.entries(words.states).map(([value, said]) => element("option", { value }, said)),
  );
  const back = button(_("Previous page"), { className: "plain", onclick: () => ask({ page: asked.page - 1 }) });
  const forth = button(_("Next page"), { className: "plain", onclick: () => ask({ page: asked.page + 1 }) });
  const dialog = openDialog(
    root,
    words.title,
    element("div", { class: "mine-asked" }, search, state),
    list,
    element("div", { class: "dialog-foot" }, where, back, forth),
  );
  dialog.classList.add("my-work");
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  let newest = 0;

  /** @param {Partial<Asked>} change */
  function later(change) {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ ...change, page: 1 }), PAUSE_MS);
  }

  /** @param {Partial<Asked>} change */
  async function ask(change) {
    Object.assign(asked, change);
    const mine = (newest += 1);
    const answer = await fetchPage({ ...asked });
    // Only the newest question counts: an answer to an earlier one may come after it.
    if (mine === newest && dialog.isConnected) show(answer);
  }

  /** @param {Answer<OwnPage<Row>, object>} answer */
  function show(answer) {
    const { status, body } = answer;
    if (status !== 200)
      return list.replaceChildren(element("p", { class: "dialog-words", role: "alert" }, sentenceOf(answer)));
    const pages = Math.max(1, Math.ceil(body.total / body.page_size));
    back.disabled = asked.page <= 1;
    forth.disabled = asked.page >= pages;
    setText(where, `${words.count(body.total)} · ${_("page {page} of {pages}", { page: asked.page, pages })}`);
    /** @param {Row} row */
    const open = (row) => {
      dialog.close();
      onopen(row);
    };
    const isAll = !asked.state && !asked.words.trim();
    list.replaceChildren(
      ...(body.rows.length
        ? body.rows.map((row) => rowOf(words, row, open))
        : [element("p", { class: "dialog-words" }, isAll ? words.none : words.noMatch)]),
    );
    list.scrollTop = 0;
  }

  search.focus();
  ask({});
}

/**
 * @template {OwnRow} Row
 * @param {Words<Row>} words
 * @param {Row} row
 * @param {(row: Row) => void} onopen
 */
function rowOf({ states, facts, lines }, row, onopen) {
  const isNamed = !isMachineKey(row.key);
  const said = [row.result, row.sets && counted(row.sets, "set"), when(row.at), isNamed && row.key, ...facts(row)];
  return element(
    "button",
    {
      type: "button",
      class: "mine-row",
      title: isNamed ? _("Open this text ({key})", { key: row.key }) : _("Open this text"),
      onclick: () => onopen(row),
    },
    element("span", { class: "mine-text", dir: "auto" }, row.excerpt || row.key),
    element(
      "span",
      { class: "mine-facts" },
      element("b", { class: "mine-state", "data-state": row.state }, states[row.state] ?? row.state),
      ` · ${said.filter(Boolean).join(" · ")}`,
    ),
    ...lines(row).map((line) => element("span", { class: "mine-line", dir: "auto" }, line)),
  );
}
