import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { seededRandom } from "../random.js";
import { parseCall } from "../tools.js";
import { demonstration } from "./demonstrations.js";
import { maxActionTokens, maxTurns, tools } from "./quickstart.js";
import { heldOutTasks, isHeldOut, type QuickstartTask, trainTask } from "./task.js";
import { tokenizer } from "./vocabulary.js";

const anyTask = fc.tuple(fc.nat(), fc.nat()).map(([seed, index]) => trainTask(seed, index));
const chain = (task: QuickstartTask) => task.chain.join(" ");

test("no train task shares its chain of files with a held-out task", () => {
  const held = heldOutTasks();
  const chains = new Set(held.map(chain));
  assert.equal(held.length, 200);
  assert.equal(new Set(held.map((task) => JSON.stringify(task))).size, 200);
  assert.ok(held.every(isHeldOut));
  fc.assert(
    fc.property(anyTask, (task) => !chains.has(chain(task)) && !isHeldOut(task)),
    { numRuns: 2_000 },
  );
});

test("a task depends on its seed and index alone, and they name different ones", () => {
  assert.deepEqual(trainTask(3, 5), trainTask(3, 5));
  const drawn = Array.from({ length: 500 }, (_, i) => JSON.stringify(trainTask(i % 5, Math.floor(i / 5))));
  assert.ok(new Set(drawn).size > 490);
  assert.deepEqual(heldOutTasks(), heldOutTasks());
});

test("each depth is drawn, and the live line comes first as often as the dead one", () => {
  const tasks = Array.from({ length: 3_000 }, (_, i) => trainTask(1, i));
  for (const depth of [1, 2, 3]) {
    const share = tasks.filter((task) => task.chain.length === depth + 1).length / tasks.length;
    assert.ok(Math.abs(share - 1 / 3) < 0.05, `depth ${depth}: ${share}`);
  }
  const first = tasks.filter((task) => task.files[task.chain[0] as string]?.startsWith("include")).length;
  assert.ok(Math.abs(first / tasks.length - 0.5) < 0.05);
});

test("no file of a fresh task already holds the wanted value", () => {
  fc.assert(fc.property(anyTask, (task) => !Object.values(task.files).includes(`${task.setting} ${task.want}\n`)));
});

test("demonstrations speak the language, fit the budget and are the same for the same random numbers", () => {
  fc.assert(
    fc.property(anyTask, fc.nat(), (task, seed) => {
      const demo = demonstration(task, seededRandom(seed));
      assert.deepEqual(demonstration(task, seededRandom(seed)), demo);
      assert.ok(demo.turns.length <= maxTurns);
      const text = [demo.prompt, ...demo.turns.flatMap((turn) => [turn.action, turn.observation])];
      for (const piece of text) assert.equal(tokenizer.decode(tokenizer.encode(piece)), piece);
      for (const { action } of demo.turns) {
        assert.doesNotThrow(() => parseCall(action, tools), action);
        assert.ok(tokenizer.encode(action).length + 1 <= maxActionTokens);
      }
    }),
  );
});

test("demonstrations are sloppy: few of them solve their task", () => {
  const solved = Array.from({ length: 2_000 }, (_, i) => trainTask(2, i)).filter((task, i) => {
    const { turns } = demonstration(task, seededRandom(i));
    return turns.some((turn) => turn.action === `edit ${task.chain.at(-1)} ${task.want}`);
  });
  assert.ok(solved.length > 40 && solved.length < 360, `${solved.length} of 2000`);
});
