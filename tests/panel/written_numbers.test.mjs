// The browser writes measured numbers as the server's pages do (annotator/domain/numbers.py).
import assert from "node:assert/strict";
import test from "node:test";
import { percent, signed, written } from "../../annotator/web/panel/saliency/numbers.js";

test("a number has as many digits as its size asks for", () => {
  const values = [0.3711, 0.05, 0.0042, -0.187, 1.0, 12.345, 1234.4, 0.00002, -1e-17, -0.0, 0.0, 0.99999, null];
  const words = ["0.371", "0.050", "0.0042", "−0.187", "1.00", "12.3", "1,234", "2.0e−5", "0", "0", "0", "1.00", "–"];
  assert.deepEqual(values.map(written), words);
});

test("a number that may be on either side of zero has its sign, and zero has none", () => {
  assert.deepEqual([0.021, -0.0042, -1e-17].map(signed), ["+0.021", "−0.0042", "0"]);
});

test("a share is written in percent, and none with a dash", () => {
  assert.deepEqual([0.4444, -1e-17, null].map(percent), ["44.4 %", "0.0 %", "–"]);
});
