// npm run bench: lists the benchmarks; npm run bench NAME [-- OPTIONS]: runs one.
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Benchmark, describeMachine, Report, renderJson, renderText } from "./harness.js";

const helpers = new Set([
  "main.js",
  "harness.js",
  "measure.js",
  "models.js",
  "python.js",
  "ray.js",
  "soak-load.js",
  "soak-memory.js",
]);

async function load(name: string): Promise<Benchmark> {
  const { default: bench } = (await import(`./${name}.js`)) as { default: Benchmark };
  return bench;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    runs: { type: "string" },
    minutes: { type: "string" },
    most: { type: "string" },
    nodes: { type: "string" },
  },
});
const names = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(".js") && !/\.test\.|-main\.|actors\./.test(file) && !helpers.has(file))
  .map((file) => file.slice(0, -".js".length));
const [name] = positionals;
if (name === undefined) {
  for (const each of names) console.log(`${each.padEnd(14)} ${(await load(each)).claim}`);
  console.log(
    "\nnpm run bench NAME runs one; --json prints every sample, --runs N measures N times:\nnpm run --silent bench NAME -- --json --runs 3",
  );
} else if (!names.includes(name)) {
  console.error(`there is no benchmark ${name}; there are ${names.join(", ")}`);
  process.exitCode = 2;
} else {
  const [bench, machine, report] = [await load(name), describeMachine(), new Report()];
  const { json: _, ...numbers } = values;
  await bench.measure(report, Object.fromEntries(Object.entries(numbers).map(([key, text]) => [key, Number(text)])));
  process.stdout.write((values.json ? renderJson : renderText)(name, bench, machine, report));
}
