import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { isAlive } from "../../../runtime/core/claim.js";
import { type ActorsError, pause } from "../../../runtime/index.js";
import { loadEnvironment, parseEnvironmentRef } from "../../rollout/environment-ref.js";
import type { EnvironmentDef, Script } from "../environment.js";
import { noSandbox } from "../play.js";
import { verify } from "../verify.js";
import { gymnasium } from "./index.js";

const python = process.env["ACTORS_TEST_PYTHON"] ?? "python3";
process.env["ACTORS_PYTHON"] = python;

function missing(): string | false {
  try {
    execFileSync(python, ["-c", "import gymnasium"], { stdio: "ignore" });
    return false;
  } catch {
    return `${python} has no gymnasium`;
  }
}

/** Tells its process, and fails as it is told to. */
const faulty = `
import os, sys, time
import gymnasium, numpy
pid = numpy.array([os.getpid() // 1000, os.getpid() % 1000], numpy.float64)
class Faulty(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(4)
    observation_space = gymnasium.spaces.Box(0, 2**31, (2,), numpy.float64)
    def reset(self, seed=None, options=None):
        print("a line on stdout")
        return pid, {}
    def step(self, action):
        if action == 1: raise ValueError("a mistake in the environment")
        if action == 2: sys.stderr.write("out of luck\\n"); sys.stderr.flush(); os._exit(3)
        if action == 3: time.sleep(1000)
        return pid, 0.0, False, False, {}
gymnasium.register("Faulty-v0", Faulty)
`;

const balance: Script = function* (prompt) {
  let told = prompt.split("\n").at(-1)!;
  for (;;) {
    const [, , angle, spin] = told.split(" ").map(Number) as [number, number, number, number];
    told = yield `act ${Number(angle + spin > 0)}`;
  }
};

describe("gymnasium", { skip: missing() }, () => {
  const folder = mkdtempSync(join(tmpdir(), "gymnasium-"));
  writeFileSync(join(folder, "faulty.py"), faulty);
  process.env["PYTHONPATH"] = folder;
  after(() => rmSync(folder, { recursive: true }));
  const context = noSandbox();

  it("plays CartPole: the same seed gives the same episode, and a known expert and chance their known scores", async () => {
    const def = await gymnasium({ id: "CartPole-v1", expert: balance });
    const { problems, expert, random } = await verify(def as EnvironmentDef, 3, context);
    assert.deepEqual([problems, def.maxTurns, expert], [[], 500, 500]);
    assert.ok(random! > 10 && random! < 60, `random ${random}`);
  });

  it("is found by name, with actions of several numbers and observations of one", async () => {
    const pendulum = await loadEnvironment(parseEnvironmentRef("gymnasium:Pendulum-v1", import.meta.url));
    assert.deepEqual(pendulum.tools![0]!.function.parameters["properties"], {
      action: { type: "number", minimum: -2, maximum: 2 },
    });
    const lake = (await gymnasium({ id: "FrozenLake-v1", arguments: { is_slippery: false } })).create();
    assert.match(
      await lake.reset({ seed: 1 }, context),
      /^FrozenLake-v1: an action is a whole number from 0 to 3\.\n0$/,
    );
    let last = await lake.step("act 4", context);
    assert.match(last.observation, /^error: act\.action: Too big/);
    for (const way of "112122") last = await lake.step(`act ${way}`, context);
    assert.deepEqual([last.reward, last.terminated, last.info["solved"]], [1, true, 1]);
    await lake.close();
  });

  it("names what cannot be made or told", async () => {
    await assert.rejects(gymnasium({ id: "Nowhere-v0" }), /gymnasium cannot make Nowhere-v0: \w*NotFound\w*: /);
    await assert.rejects(
      gymnasium({ id: "Blackjack-v1" }),
      /the observations of Blackjack-v1 are a Tuple, which no line/,
    );
    await assert.rejects(gymnasium({ id: "CartPole-v1", python: "/nowhere/python" }), /ended with status 127/);
  });

  it("takes an exception, a crash and a hang of Python for a failure of the machine, with what it wrote", async () => {
    const def = await gymnasium({ id: "faulty:Faulty-v0", stepMs: 2_000 });
    const failures: [string, string, RegExp][] = [
      ["act 1", "UNAVAILABLE", /ValueError: a mistake in the environment; it wrote: [\s\S]*ValueError/],
      ["act 2", "UNAVAILABLE", /it ended with status 3; it wrote: [\s\S]*out of luck/],
      ["act 3", "DEADLINE_EXCEEDED", /step of gymnasium's faulty:Faulty-v0 took longer than 2000 ms/],
    ];
    for (const [action, code, message] of failures) {
      const env = def.create();
      const pid = pidIn(await env.reset({ seed: 1 }, context));
      await assert.rejects(env.step(action, context), (error: ActorsError) => {
        assert.deepEqual([error.code, error.retryable], [code, true]);
        assert.match(error.message, message);
        return true;
      });
      await env.close();
      assert.ok(!isAlive(pid));
    }
  });

  it("leaves no process after kill -9 of its owner, even a hung one", async () => {
    const program = join(folder, "owner.mjs");
    const module = new URL("./index.js", import.meta.url).href;
    writeFileSync(
      program,
      `import { gymnasium } from ${JSON.stringify(module)};
       const env = (await gymnasium({ id: "faulty:Faulty-v0" })).create();
       const context = { signal: new AbortController().signal };
       console.log((await env.reset({ seed: 1 }, context)).split("\\n").at(-1));
       await env.step("act 3", context);`,
    );
    const owner = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await new Promise<string[]>((resolve) => {
      createInterface({ input: owner.stdout }).once("line", (told) => resolve([told]));
    });
    const pid = pidIn(line!);
    owner.kill("SIGKILL");
    await gone(pid);
  });
});

const pidIn = (prompt: string) => {
  const [thousands, rest] = prompt.split("\n").at(-1)!.split(" ").map(Number);
  return 1000 * thousands! + rest!;
};

async function gone(pid: number): Promise<void> {
  const until = Date.now() + 10_000;
  while (isAlive(pid)) {
    assert.ok(Date.now() < until, `${pid} is still there`);
    await pause(20);
  }
}
