import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNatsServer } from "../setup/nats-server.mjs";
import { run } from "../setup/run.mjs";
import { setUp, steps } from "../setup/set-up.mjs";
import { aptFix, ask, fail, ok, versionIn, warn } from "./check.mjs";

const oldestCmake = [3, 20];

/** @type {import("./check.mjs").Check[]} */
export const software = [
  { name: "Node.js", look: () => ok(process.versions.node) }, // an older one does not get here
  {
    name: "npm packages",
    look: () => step("npm", "installed, as in package-lock.json", "missing or not as in package-lock.json"),
  },
  { name: "TypeScript", look: () => step("typescript", "built", "not built, or older than the sources") },
  { name: "C++ compiler", look: compiler },
  { name: "CMake", look: cmake },
  { name: "native module", look: () => step("native", "built", "not built, or older than the sources") },
  { name: "nats-server", look: natsServer },
  { name: "setpriv", look: setpriv },
];

/**
 * @param {import("../setup/set-up.mjs").StepName} name
 * @param {string} good
 * @param {string} bad
 */
function step(name, good, bad) {
  if (steps[name].isDone()) return ok(good);
  return warn(bad, "`actors up` does it at its start.", () => setUp([name]));
}

/** A compiler counts when it compiles C++20, whatever it calls itself. */
async function compiler() {
  const dir = mkdtempSync(join(tmpdir(), "actors-doctor-"));
  try {
    const source = join(dir, "probe.cpp");
    writeFileSync(
      source,
      "#include <concepts>\n#include <span>\ntemplate <std::integral T> T twice(std::span<T> x) { return x[0] + x[0]; }\n",
    );
    for (const name of [process.env.CXX, "c++", "g++", "clang++"]) {
      if (!name) continue;
      const compiled = await run(name, ["-std=c++20", "-fsyntax-only", source], { timeoutMs: 30_000 }).catch(
        () => undefined,
      );
      if (compiled?.code === 0)
        return ok(`${name} ${versionIn(await ask(name, "-dumpfullversion", "-dumpversion")) ?? ""}`.trim());
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const mend = "Install GCC 11 or newer (Debian: apt install g++; macOS: xcode-select --install).";
  return fail("none that compiles C++20", mend, aptFix("g++", "make"));
}

async function cmake() {
  const version = versionIn(await ask("cmake", "--version"));
  const mend = `Install ${oldestCmake.join(".")} or newer (Debian: apt install cmake; macOS: brew install cmake).`;
  if (!version) return fail("not found", mend, aptFix("cmake", "make"));
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldMajor = 0, oldMinor = 0] = oldestCmake;
  return major > oldMajor || (major === oldMajor && minor >= oldMinor)
    ? ok(version)
    : fail(`${version}, which is too old`, mend);
}

async function natsServer() {
  const path = findNatsServer();
  if (!path) {
    return warn(
      "not found",
      "`actors up` unpacks it from Debian's package; elsewhere install it, or set $ACTORS_NATS_SERVER.",
      () => setUp(["nats-server"]),
    );
  }
  const version = versionIn(await ask(path, "--version"));
  if (!version) return fail(`${path} does not run`, "Remove it, or name another in $ACTORS_NATS_SERVER.");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > 2 || (major === 2 && minor >= 9);
  return enough ? ok(`${version} (${path})`) : fail(`${version} (${path}), which is too old`, "Install 2.9 or newer.");
}

async function setpriv() {
  if (process.platform !== "linux") return ok("not used on this system");
  const works = (await ask("setpriv", "--pdeathsig", "KILL", "true")) !== undefined;
  if (works) return ok("nats-server ends with its owner");
  return warn(
    "not found: a nats-server may outlive a killed `actors up`",
    "Debian: apt install util-linux.",
    aptFix("util-linux"),
  );
}
