// Drafts in the browser's storage: whose they are, and when another tab may take them.
import assert from "node:assert/strict";
import test from "node:test";
import { DraftStorage } from "../../annotator/web/panel/shared/browser_storage.js";

/** What a browser's storage does, as far as drafts need it. */
function storageOf() {
  return Object.setPrototypeOf(
    {},
    {
      getItem(key) {
        return this[key] ?? null;
      },
      setItem(key, value) {
        this[key] = value;
      },
      removeItem(key) {
        delete this[key];
      },
    },
  );
}

const ENTRY = {
  assignment: 17,
  instance: 5,
  state: "open",
  revision: 3,
  draft: { sets: [] },
  sent: null,
  finish: null,
};

/** A tab of the same browser; its clock can be set. */
function tab(storage, name, user = 1, clock = { now: 0 }) {
  return new DraftStorage("draft:", user, storage, { getItem: () => name, setItem: () => {} }, () => clock.now);
}

test("a tab finds what it kept, and after it was dropped nothing", () => {
  const own = tab(storageOf(), "first");
  own.keep(ENTRY);
  assert.equal(own.find(17).revision, 3);
  own.drop(17);
  assert.deepEqual([own.find(17), own.list()], [null, []]);
});

test("another tab takes a draft only when its owner gave it up or lives no more", () => {
  const storage = storageOf();
  const clock = { now: 0 };
  const owner = tab(storage, "first", 1, clock);
  const other = tab(storage, "second", 1, clock);
  owner.keep(ENTRY);
  assert.equal(other.find(17), null);
  clock.now = 15001;
  assert.equal(other.find(17).assignment, 17);
  owner.renew();
  assert.equal(other.find(17), null);
  owner.release();
  assert.equal(other.find(17).assignment, 17);
});

test("somebody else at the same browser neither sees nor sends a draft", () => {
  const storage = storageOf();
  const owner = tab(storage, "first", 1);
  owner.keep(ENTRY);
  owner.release();
  assert.deepEqual(tab(storage, "second", 2).list(), []);
});

test("drafts are listed in the order in which they were kept, whatever else lies in the storage", () => {
  const storage = storageOf();
  const clock = { now: 2 };
  const own = tab(storage, "first", 1, clock);
  own.keep(ENTRY);
  clock.now = 1;
  own.keep({ ...ENTRY, assignment: 18 });
  storage.setItem("draft:19", "not JSON");
  storage.setItem("annotator:reading", "{}");
  assert.deepEqual(
    own.list().map(({ assignment }) => assignment),
    [18, 17],
  );
});
