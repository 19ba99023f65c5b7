import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { TestCluster } from "../runtime/cluster/testing.js";
import { calculator } from "./other-languages/calculator.js";

// A Python with nats-py, cryptography, protobuf and grpcio-tools; `.ci/run` makes one.
const python = process.env["ACTORS_TEST_PYTHON"] ?? "python3";
const root = fileURLToPath(new URL("../../", import.meta.url));
const program = join(root, "examples/other-languages/call.py");

function missing(): string | false {
  try {
    execFileSync(python, ["-c", "import nats, cryptography, google.protobuf, grpc_tools.protoc"], { stdio: "ignore" });
    return false;
  } catch {
    return `${python} has no nats-py, cryptography, protobuf and grpcio-tools`;
  }
}

describe("call.py, a caller in another language", { skip: missing() }, () => {
  let gen: string;

  before(() => {
    gen = mkdtempSync(join(tmpdir(), "other-languages-"));
    const protos = ["envelope.proto", "errors.proto", "membership.proto", "calculator.proto"];
    const paths = [`-I${join(root, "protos")}`, `-I${join(root, "examples/other-languages")}`];
    execFileSync(python, ["-m", "grpc_tools.protoc", ...paths, `--python_out=${gen}`, ...protos]);
  });

  after(() => rmSync(gen, { recursive: true, force: true }));

  const call = (cluster: TestCluster, ...args: string[]) =>
    promisify(execFile)(python, [program, cluster.cluster.file, ...args], {
      env: { ...process.env, PYTHONPATH: gen },
      timeout: 30_000,
    });

  it("calls, reads a stream longer than its credit, and gets errors with their codes", async (t) => {
    const c = await TestCluster.start(t, 1);
    await c.system.spawn(calculator, { name: "calculator" });
    const values = Array.from({ length: 1000 }, (_, i) => String(i));
    const { stdout } = await call(c, "calculator", ...values);
    assert.equal(stdout, "sum 499500.0\n1000 partial sums, the last is 499500.0\n");
    await assert.rejects(call(c, "calculator"), /ActorError: \[USER_ERROR\] there is nothing to add up/);
    await assert.rejects(call(c, "nobody", "1"), /LookupError: no actor is named nobody/);
  });

  it("finds an actor again that runs elsewhere now", async (t) => {
    const c = await TestCluster.start(t, 1);
    await c.system.spawn(calculator, { name: "calculator", hosting: "process" });
    const { pid } = c.system.ps().actors[0]!;
    process.kill(pid, "SIGKILL");
    const { stdout } = await call(c, "calculator", "1", "2");
    assert.match(stdout, /^sum 3\.0\n/);
    await c.heard("actor-restarted");
  });
});
