// Our side of bench/learner, in a process of its own so that its memory and CPU time are its own:
// node learner-main.js FOLDER THREADS STEPS, one JSON line out.
import { readFileSync } from "node:fs";
import { Learner } from "../native/index.js";

const [folder, threads, steps] = process.argv.slice(2) as [string, string, string];
const { tokens, starts } = JSON.parse(readFileSync(`${folder}/batch.json`, "utf8")) as Record<string, number[]>;
const n = tokens!.length;
const firsts = new Set(starts);
const batch = {
  tokens: Int32Array.from(tokens!),
  starts: Int32Array.from(starts!),
  lossMask: Uint8Array.from({ length: n }, (_, i) => (firsts.has(i) ? 0 : 1)),
  advantages: new Float32Array(n),
  oldLogp: new Float32Array(n),
};
const normalizer = n - starts!.length + 1;
const learner = await Learner.load(folder, { threads: Number(threads) });
const result = { wall: [] as number[], cpu: [] as number[], losses: [] as number[], peakMib: 0 };
for (let step = 0; step < Number(steps); step++) {
  const [began, used] = [performance.now(), process.cpuUsage()];
  const { loss } = await learner.forwardBackward(batch, { kind: "cross_entropy", normalizer });
  await learner.optimStep({ lr: 1e-4, beta2: 0.95, weightDecay: 0.1, maxGradNorm: 1 });
  const { user, system } = process.cpuUsage(used);
  result.wall.push((performance.now() - began) / 1000);
  result.cpu.push((user + system) / 1e6);
  result.losses.push(loss);
}
result.peakMib = Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? Number.NaN) / 1024;
console.log(JSON.stringify(result));
