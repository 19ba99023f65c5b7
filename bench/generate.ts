import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Learner } from "../native/index.js";
import { type Benchmark, type Report, root } from "./harness.js";
import { models } from "./models.js";
import { findPython } from "./python.js";

const defaultRounds = 3;
const threads = 1; // with more, torch spins at barriers and a neighbour on its cores decides the figures
const deadlineMs = 280_000;
const batches = [1, 8, 32];
const [promptLength, newTokens] = [32, 32];

interface Side {
  /** Seconds of each batch size, in the order of `batches`. */
  wall: number[];
  cpu: number[];
  /** Of the first sequence of the first batch. */
  tokens: number[];
}

const bench: Benchmark = {
  claim:
    "Greedy generation on the CPU in fp32 is at least four times as fast as transformers at batches of 1 and 8, three times at 32.",
  leavesOut: [
    "bf16",
    "models of over 10M parameters",
    "sequences that end at different lengths, where continuous batching gains more",
  ],

  async measure(report, { runs: rounds = defaultRounds }) {
    const found = findPython("torch, transformers", "transformers");
    report.remark(
      `prompts of ${promptLength} tokens, ${newTokens} generated, ${threads} threads, fp32, the same weights and tokens`,
    );
    report.remark(
      found ? `transformers ${found.version}, sdpa attention, its key-value cache` : "transformers: not here",
    );
    for (const name of ["1M", "10M"]) {
      const folder = await modelFolder(name);
      try {
        for (let round = 1; round <= rounds; round++) {
          const ours = run(process.execPath, join(root, "dist", "bench", "generate-main.js"), folder);
          const theirs = found && run(found.python, join(root, "bench", "generate.torch.py"), folder);
          add(report, name, "ours", ours);
          if (theirs) {
            add(report, name, "transformers", theirs);
            if (ours.tokens.join() !== theirs.tokens.join())
              throw new Error(`${name}: ${ours.tokens} is not ${theirs.tokens}`);
            for (const [i, batch] of batches.entries()) {
              report.add(`${name}, batch ${batch}, transformers to ours, wall`, "x", theirs.wall[i]! / ours.wall[i]!);
              report.add(`${name}, batch ${batch}, transformers to ours, CPU`, "x", theirs.cpu[i]! / ours.cpu[i]!);
            }
          }
          report.progress(`${name}: round ${round} of ${rounds}`);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  },
};
export default bench;

/** Fresh weights and prompts that both sides read. */
async function modelFolder(name: string): Promise<string> {
  const config = models[name]!;
  const folder = mkdtempSync(join(tmpdir(), "bench-generate-"));
  const learner = Learner.create(config, 1, { threads });
  await learner.save(folder);
  await learner.publish(join(folder, "published"));
  learner.close();
  const most = Math.max(...batches);
  const prompts = Array.from({ length: most }, (_, row) =>
    Array.from({ length: promptLength }, (_, i) => (row * 7919 + i * 104_729 + (i >> 2) * 31) % config.vocabSize),
  );
  writeFileSync(join(folder, "generate.json"), JSON.stringify({ config, prompts, batches, newTokens }));
  return folder;
}

function run(command: string, script: string, folder: string): Side {
  const env = { ...process.env, OMP_NUM_THREADS: String(threads), PYTHONDONTWRITEBYTECODE: "1" };
  const args = [script, folder, String(threads)];
  const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
  return JSON.parse(execFileSync(command, args, { env, encoding: "utf8", timeout: deadlineMs, stdio })) as Side;
}

function add(report: Report, name: string, whose: string, side: Side): void {
  for (const [i, batch] of batches.entries()) {
    const tokens = batch * newTokens;
    report.add(`${name}, batch ${batch}, ${whose}`, "tokens/s", tokens / side.wall[i]!);
    report.add(`${name}, batch ${batch}, ${whose}`, "tokens/CPU s", tokens / side.cpu[i]!);
  }
}
