import assert from "node:assert/strict";
import { test } from "node:test";
import { containerArguments } from "./container.js";
import { defaultLimits } from "./session.js";

const made = (engine: "docker" | "podman", workspace?: string) =>
  containerArguments(engine, {
    name: "n",
    image: { name: "debian:12", ...(workspace && { workspace }) },
    limits: { ...defaultLimits, memoryMb: 100, diskMb: 10, processes: 30, cpus: 1.5 },
    sandboxd: "/opt/sandboxd",
  });
const after = (args: string[], flag: string) => args.flatMap((arg, i) => (arg === flag ? [args[i + 1]] : []));

test("a container has no network, no capability, a root that cannot be written, and limits", () => {
  const args = made("docker");
  assert.deepEqual(args.slice(0, 4), ["run", "--rm", "--interactive", "--name"]);
  assert.deepEqual(after(args, "--network"), ["none"]);
  assert.deepEqual(after(args, "--cap-drop"), ["ALL"]);
  assert.deepEqual(after(args, "--security-opt"), ["no-new-privileges"]);
  assert.deepEqual(after(args, "--user"), ["1000:1000"]);
  assert.deepEqual(after(args, "--memory"), after(args, "--memory-swap"));
  assert.deepEqual(after(args, "--memory"), [`${(2 * 100 + 10 + 96) * 2 ** 20}b`]);
  assert.deepEqual([after(args, "--pids-limit"), after(args, "--cpus")], [["32"], ["1.5"]]);
  assert.ok(args.includes("--read-only"));
  assert.deepEqual(
    after(args, "--tmpfs").map((text) => text?.split(":")[0]),
    ["/tmp", "/workspace"],
  );
  const image = args.indexOf("debian:12");
  assert.deepEqual(args.slice(image - 2, image + 3), [
    "--entrypoint",
    "/run/sandboxd",
    "debian:12",
    "serve",
    "workspace=/workspace",
  ]);
  assert.ok(!after(args, "--env").some((each) => each?.startsWith("PATH=")), "the image's programs are found");
});

test("a workspace of the image can be written as the image's own user, and podman opens nothing beside", () => {
  const args = made("podman", "/testbed");
  assert.deepEqual([after(args, "--user"), args.includes("--read-only")], [[], false]);
  assert.ok(args.includes("workspace=/testbed"));
  assert.ok(made("podman").includes("--read-only-tmpfs=false"));
  assert.ok(!made("docker").includes("--read-only-tmpfs=false"));
});
