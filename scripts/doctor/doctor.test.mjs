import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../setup/paths.mjs";
import { render } from "./main.mjs";

/** @param {string[]} args @param {NodeJS.ProcessEnv} env */
const doctor = (args, env = {}) =>
  spawnSync(process.execPath, [join(root, "scripts/bootstrap.mjs"), "doctor", ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
    timeout: 60_000,
  });

test("every check reports a state, what it found, and how to mend what is not ok", () => {
  const { stdout } = doctor(["--json"]);
  const { checks } = JSON.parse(stdout);
  const names = checks.map((/** @type {{ name: string }} */ check) => check.name);
  for (const name of [
    "Node.js",
    "npm packages",
    "C++ compiler",
    "CMake",
    "nats-server",
    "sandboxes",
    "CUDA driver",
    "NCCL",
    "/dev/shm",
    "disk",
  ]) {
    assert.ok(names.includes(name), name);
  }
  for (const { name, status, found, mend } of checks) {
    assert.match(status, /^(ok|warn|fail)$/, name);
    assert.ok(found, name);
    assert.equal(mend === null, status === "ok", `${name}: ${mend}`);
  }
});

test("a machine without compiler, CMake and nats-server fails, and says how to get each", () => {
  const { status, stdout } = doctor([], { PATH: "/nonexistent", CXX: "", ACTORS_NATS_SERVER: "/no/such/file" });
  assert.equal(status, 1);
  assert.match(stdout, /^fail +C\+\+ compiler +none that compiles C\+\+20\n +-> Install GCC 11/m);
  assert.match(stdout, /^fail +CMake +not found\n +-> Install 3\.20/m);
  assert.match(stdout, /^warn +nats-server +not found/m);
});

test("an unknown option is refused with exit code 2", () => {
  const { status, stderr } = doctor(["--repair"]);
  assert.equal(status, 2);
  assert.equal(stderr, "actors: doctor does not know --repair\n  `actors doctor --help` lists its options.\n");
});

test("results line up, and each hint stands under its line", () => {
  const text = render(
    [
      { name: "CMake", status: "ok", found: "3.25.1" },
      { name: "nats-server", status: "warn", found: "not found", mend: "Install it." },
    ],
    false,
  );
  assert.equal(
    text,
    "ok    CMake        3.25.1\nwarn  nats-server  not found\n                   -> Install it.\n1 ok, 1 to mend or know, 0 failed\n",
  );
});
