import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { type Benchmark, describeMachine, Report, renderJson, renderText, root, summarise } from "./harness.js";

const bench: Benchmark = { claim: "it is fast", leavesOut: ["the rest"], measure: () => Promise.resolve() };

function measured(): Report {
  const report = new Report();
  for (const sample of [30_000, 1234.5, 20_000, 10_000]) report.add("calls", "/s", sample);
  report.add("calls", "us", 2);
  report.remark("no peer here");
  return report;
}

test("a row's figure is the median of its samples, with the extremes beside it", () => {
  assert.deepEqual(summarise([3, 1, 2]), { median: 2, min: 1, max: 3, runs: 3 });
  assert.deepEqual(summarise([4, 1]), { median: 2.5, min: 1, max: 4, runs: 2 });
});

test("the text names machine and commit, and says what is left out", () => {
  const text = renderText("calls", bench, describeMachine(), measured());
  assert.match(text, /^calls: it is fast\nmachine {5}\d+ x .+ node v\d+.*\ncommit {6}\S+/);
  assert.match(text, /calls +15,000 \/s +1,230 +30,000 +4\n/);
  assert.match(text, /note {8}no peer here\nleaves out {2}the rest\n$/);
});

test("the JSON holds every sample", () => {
  const { rows, claim } = JSON.parse(renderJson("calls", bench, describeMachine(), measured()));
  assert.equal(claim, "it is fast");
  assert.deepEqual(rows[0].samples, [30_000, 1234.5, 20_000, 10_000]);
});

test("without a name the benchmarks are listed, and an unknown name is refused", () => {
  const main = join(root, "dist", "bench", "main.js");
  const bench = (...args: string[]) =>
    execFileSync(process.execPath, [main, ...args], { encoding: "utf8", stdio: "pipe" });
  assert.match(
    bench(),
    /^actor-calls +\S.+\ngenerate +\S.+\nlatency +\S.+\nlearner +\S.+\nlifecycle +\S.+\nlinearity +\S.+\nmemory +\S.+\nobjects +/,
  );
  assert.throws(() => bench("speed"), {
    status: 2,
    stderr:
      "there is no benchmark speed; there are actor-calls, generate, latency, learner, lifecycle, linearity, memory, objects, pipeline, quickstart, sandbox, soak, streams, trainer, tree\n",
  });
});
