import { join } from "node:path";
import { joinCluster, parseCredential, readCredential } from "../cluster/joined.js";
import { clusterFileIn, stateDirName } from "../cluster/state.js";
import { isActorsError } from "../core/errors.js";
import { loadConfig, settleNodes } from "./config.js";
import { chooseFace } from "./faces.js";
import { forcefully } from "./force.js";
import { credentialPath, type JoinCommandOptions } from "./join-command.js";
import { readOffers } from "./offers.js";
import { readObjectLimits } from "./sizes.js";
import { exitCodes, UsageError } from "./usage.js";

/** @returns the exit code */
export async function runJoin(
  url: string,
  options: JoinCommandOptions,
  cwd: string,
  out: NodeJS.WriteStream,
): Promise<number> {
  const { document } = loadConfig(options.file, cwd);
  const nodes = settleNodes(document, options.nodes);
  const credential = credentialOf(options, cwd);
  const stateDir = join(cwd, stateDirName);
  const face = chooseFace(out, options.json === true);
  const interrupts = forcefully(clusterFileIn(stateDir), face);
  const { signal } = interrupts;
  const started = performance.now();
  try {
    const cluster = await joinCluster({
      url,
      credential,
      nodes,
      offers: readOffers(document),
      objects: readObjectLimits(document),
      stateDir,
      onStep: (text, ms) => face.step(text, ms),
      signal,
    });
    face.up(cluster.system, `joined · ${nodes} node${nodes === 1 ? "" : "s"} · ${url}`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    face.stopping(`stopping: ${signal.reason}`);
    await cluster.stop(String(signal.reason));
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    face.end({ ok: true, summary: [], stopped: String(signal.reason), seconds });
    return interrupts.exitCode ?? exitCodes.ok;
  } catch (error) {
    if (signal.aborted && isActorsError(error, "CANCELLED")) return interrupts.exitCode ?? exitCodes.failed;
    throw error;
  } finally {
    face.close();
    interrupts.close();
  }
}

function credentialOf({ credential }: JoinCommandOptions, cwd: string) {
  if (credential !== undefined) return readCredential(credentialPath(credential, cwd));
  const text = process.env["ACTORS_CREDENTIAL"];
  delete process.env["ACTORS_CREDENTIAL"]; // what runs here need not inherit it
  if (text) return parseCredential(text);
  throw new UsageError("no credential was given", {
    hint: "--credential takes a copy of the cluster's .actors/join.json.",
  });
}
