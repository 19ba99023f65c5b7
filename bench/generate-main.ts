// Our side of bench/generate, in a process of its own: node generate-main.js FOLDER THREADS, one JSON line out.
import { readFileSync } from "node:fs";
import { Engine, type ModelConfig } from "../native/index.js";

interface Input {
  config: ModelConfig;
  prompts: number[][];
  batches: number[];
  newTokens: number;
}

const [folder, threads] = process.argv.slice(2) as [string, string];
const { config, prompts, batches, newTokens } = JSON.parse(readFileSync(`${folder}/generate.json`, "utf8")) as Input;
const engine = Engine.open(config, { maxSequences: Math.max(...batches), threads: Number(threads) });
await engine.loadWeights(`${folder}/published`, 1);

async function generate(batch: number): Promise<number[]> {
  const [first] = prompts
    .slice(0, batch)
    .map((prompt) =>
      engine.submit({ tokens: Int32Array.from(prompt), maxTokens: newTokens, temperature: 0, stop: [], seed: 0 }),
    );
  let tokens: number[] = [];
  while (engine.active > 0) for (const done of await engine.run(1000)) if (done.id === first) tokens = [...done.tokens];
  return tokens;
}

const result = { wall: [] as number[], cpu: [] as number[], tokens: await generate(batches[0]!) };
for (const batch of batches) {
  await generate(batch); // touches memory
  const [began, used] = [performance.now(), process.cpuUsage()];
  await generate(batch);
  const { user, system } = process.cpuUsage(used);
  result.wall.push((performance.now() - began) / 1000);
  result.cpu.push((user + system) / 1e6);
}
engine.close();
console.log(JSON.stringify(result));
