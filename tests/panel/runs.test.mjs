// What tells runs of one model and method apart.
import assert from "node:assert/strict";
import test from "node:test";
import { differences } from "../../annotator/web/panel/saliency/runs.js";

const run = (number, parameters) => ({
  run: number,
  model: "bert",
  method: "layer-integrated-gradients",
  seed: null,
  parameters: JSON.stringify(parameters),
});
const RUNS = [run(1, { layer: 2, steps: 50 }), run(2, { layer: 0, steps: 50 })];

test("the layer that tells runs apart is named", () => assert.equal(differences(RUNS[0], RUNS), "layer 2"));

test("of a map whose layer is said the layer is not said twice, and the other differences are", () => {
  assert.equal(differences({ ...RUNS[0], layer: 2 }, RUNS), "");
  assert.equal(differences({ ...RUNS[0], layer: 2 }, [...RUNS, run(3, { layer: 2, steps: 9 })]), "steps 50");
});
