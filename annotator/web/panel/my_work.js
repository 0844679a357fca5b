/** My work: the list of what one has submitted, proposed to discard or skipped; searched, by state, page by page. */
import { openDialog, when } from "./dialogs.js";
import { button, element, setText } from "./dom.js";
import { sentenceOf } from "./messages.js";
import { isMachineKey } from "./naming.js";

const PAUSE_MS = 250;

/** The states of a text in one's own work, in the words of the screen. */
export const STATES = {
  submitted: "Submitted", accepted: "Accepted", returned: "Returned", proposed: "Proposed to discard", discarded: "Discarded",
  skipped: "Skipped", draft: "Draft", "passed on": "Given to another annotator",
};

const NONE = "There is nothing here yet. What you submit, skip or propose to discard is listed here.";
const NO_MATCH = "No text matches. Change the search, or choose all states.";

/**
 * @param {(asked: {page: number, state: string, words: string}) => Promise<import("./messages.js").Answer>} fetchPage
 * @param {(row: Object) => void} onopen
 */
export function openMyWork(root, fetchPage, onopen) {
  const asked = { page: 1, state: "", words: "" };
  const list = element("div", { class: "mine" });
  const where = element("span", { class: "page-words", role: "status" });
  const search = element("input", { type: "text", class: "answer", placeholder: "words or key", "aria-label": "Search my work for words or a key", oninput: () => later({ words: search.value }) });
  const state = element("select", { class: "labels", "aria-label": "State", onchange: () => ask({ state: state.value, page: 1 }) },
    element("option", { value: "" }, "All states"), ...Object.entries(STATES).map(([value, words]) => element("option", { value }, words)));
  const back = button("Previous page", { className: "plain", onclick: () => ask({ page: asked.page - 1 }) });
  const forth = button("Next page", { className: "plain", onclick: () => ask({ page: asked.page + 1 }) });
  const dialog = openDialog(root, "My work", element("div", { class: "mine-asked" }, search, state), list, element("div", { class: "dialog-foot" }, where, back, forth));
  dialog.classList.add("my-work");
  let timer = null;
  let newest = 0;

  function later(change) {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ ...change, page: 1 }), PAUSE_MS);
  }

  async function ask(change) {
    Object.assign(asked, change);
    const mine = (newest += 1);
    const answer = await fetchPage({ ...asked });
    // Only the newest question counts: an answer to an earlier one may come after it.
    if (mine === newest && dialog.isConnected) show(answer);
  }

  function show(answer) {
    const { status, body } = answer;
    if (status !== 200) return list.replaceChildren(element("p", { class: "dialog-words", role: "alert" }, sentenceOf(answer)));
    const pages = Math.max(1, Math.ceil(body.total / body.page_size));
    back.disabled = asked.page <= 1;
    forth.disabled = asked.page >= pages;
    setText(where, `${body.total.toLocaleString("en")} ${body.total === 1 ? "text" : "texts"} · page ${asked.page} of ${pages}`);
    const open = (row) => { dialog.close(); onopen(row); };
    const isAll = !asked.state && !asked.words.trim();
    list.replaceChildren(...(body.rows.length ? body.rows.map((row) => rowOf(row, open)) : [element("p", { class: "dialog-words" }, isAll ? NONE : NO_MATCH)]));
    list.scrollTop = 0;
  }

  search.focus();
  ask({});
}

function rowOf(row, onopen) {
  const facts = [row.result, countSets(row.sets), when(row.at), isMachineKey(row.key) ? null : row.key, row.may_reopen && "can be reopened"];
  return element("button", { type: "button", class: "mine-row", title: `Open this text (${row.key})`, onclick: () => onopen(row) },
    element("span", { class: "mine-text", dir: "auto" }, row.excerpt || row.key),
    element("span", { class: "mine-facts" }, element("b", { class: "mine-state", "data-state": row.state }, STATES[row.state] ?? row.state), ` · ${facts.filter(Boolean).join(" · ")}`),
    ...row.lines.map((line) => element("span", { class: "mine-line", dir: "auto" }, line)));
}

const countSets = (count) => (count ? `${count} ${count === 1 ? "set" : "sets"}` : null);
