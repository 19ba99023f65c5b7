import { spawnSync } from "node:child_process";

const askMs = 60_000;

/**
 * A Python that can import these modules: $ACTORS_BENCH_PYTHON, else python3.
 * @param imports separated by commas
 * @param measured whose version is told
 */
export function findPython(imports: string, measured: string): { python: string; version: string } | undefined {
  for (const python of [process.env["ACTORS_BENCH_PYTHON"], "python3"]) {
    if (!python) continue;
    const program = `import ${imports}; print(${measured}.__version__)`;
    const asked = spawnSync(python, ["-c", program], { encoding: "utf8", timeout: askMs });
    if (asked.status === 0) return { python, version: asked.stdout.trim() };
  }
  return undefined;
}
