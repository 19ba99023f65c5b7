import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Learner, type ModelConfig } from "../native/index.js";
import { type Benchmark, type Report, root } from "./harness.js";
import { models } from "./models.js";
import { findPython } from "./python.js";

const defaultRounds = 3;
const threads = 2;
const stepsARound = 3; // after one that is not counted
const deadlineMs = 280_000;
const [sequences, length] = [8, 256];

interface Side {
  wall: number[];
  cpu: number[];
  losses: number[];
  peakMib: number;
}

const bench: Benchmark = {
  claim: "A training step takes at most half of torch's time on the CPU, in fp32, and at most half of its memory.",
  leavesOut: ["bf16", "models of over 50M parameters", "sequences of unequal length, which torch would pad"],

  async measure(report, { runs: rounds = defaultRounds }) {
    const found = findPython("torch, transformers", "torch");
    report.remark(
      `${sequences} sequences of ${length} tokens, ${threads} threads, fp32: forward, backward, clip, AdamW`,
    );
    report.remark(found ? `torch ${found.version}, AdamW fused, malloc told to keep its memory` : "torch: not here");
    for (const [name, config] of Object.entries(models)) {
      const folder = await modelFolder(config);
      try {
        for (let round = 1; round <= rounds; round++) {
          const ours = run(process.execPath, join(root, "dist", "bench", "learner-main.js"), folder);
          add(report, `${name}, ours`, ours);
          if (found) {
            const theirs = run(found.python, join(root, "bench", "learner.torch.py"), folder);
            add(report, `${name}, torch`, theirs);
            sameLosses(name, ours, theirs);
            report.add(`${name}, torch to ours, wall`, "x", best(theirs.wall) / best(ours.wall));
            report.add(`${name}, torch to ours, CPU`, "x", best(theirs.cpu) / best(ours.cpu));
            report.add(`${name}, ours to torch, peak`, "x", ours.peakMib / theirs.peakMib);
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

/** Fresh weights and a batch that both sides read. */
async function modelFolder(config: ModelConfig): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bench-learner-"));
  const learner = Learner.create(config, 1, { threads });
  await learner.save(folder);
  learner.close();
  const tokens = Array.from(
    { length: sequences * length },
    (_, i) => (i * 7919 + (i >> 3) * 104_729) % config.vocabSize,
  );
  const starts = Array.from({ length: sequences + 1 }, (_, i) => i * length);
  writeFileSync(join(folder, "batch.json"), JSON.stringify({ tokens, starts }));
  return folder;
}

function run(command: string, script: string, folder: string): Side {
  const env = {
    ...process.env,
    OMP_NUM_THREADS: String(threads),
    // Fresh memory is slow to touch: let malloc keep what it has.
    MALLOC_MMAP_THRESHOLD_: String(2 ** 40),
    MALLOC_TRIM_THRESHOLD_: String(2 ** 40),
    MALLOC_TOP_PAD_: String(2 ** 26),
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const args = [script, folder, String(threads), String(stepsARound + 1)];
  const side = JSON.parse(
    execFileSync(command, args, { env, encoding: "utf8", timeout: deadlineMs, stdio: ["ignore", "pipe", "ignore"] }),
  ) as Side;
  return { ...side, wall: side.wall.slice(1), cpu: side.cpu.slice(1) };
}

const best = (samples: number[]) => Math.min(...samples);

function add(report: Report, name: string, side: Side): void {
  report.add(`${name}, step`, "s", best(side.wall));
  report.add(`${name}, step`, "CPU s", best(side.cpu));
  report.add(`${name}, peak`, "MiB", side.peakMib);
}

/** Both must do the same work, or the figures say nothing. */
function sameLosses(name: string, ours: Side, theirs: Side): void {
  for (const [step, loss] of ours.losses.entries()) {
    if (Math.abs(loss - theirs.losses[step]!) > 1e-3)
      throw new Error(`${name}: loss ${loss} at step ${step}, torch has ${theirs.losses[step]}`);
  }
}
