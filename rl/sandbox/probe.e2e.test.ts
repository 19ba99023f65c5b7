import assert from "node:assert/strict";
import { test } from "node:test";
import type { Logger } from "../../runtime/index.js";
import { chooseBackend } from "./probe.js";
import { defaultLimits } from "./session.js";
import { noBubblewrap } from "./testing.js";

/** A log that keeps what was said. */
function listener(): { log: Logger; said: string[] } {
  const said: string[] = [];
  const hear = (text: string) => said.push(text);
  return { log: { info: hear, warn: hear } as unknown as Logger, said };
}

test("the strongest backend is taken, and the log says what was proven", {
  skip: noBubblewrap() ?? false,
}, async (t) => {
  const { log, said } = listener();
  const { backend, guarantees } = await chooseBackend({}, defaultLimits, log);
  t.after(() => backend.close());
  assert.equal(backend.name, "bubblewrap");
  assert.deepEqual(guarantees.missing, []);
  assert.deepEqual(said.length, 1);
  assert.match(said[0] as string, /^sandboxes: bubblewrap, proven here: network, .*disk/);
});

test("without bubblewrap the process backend takes over and says what it does not isolate", async () => {
  const { log, said } = listener();
  const path = process.env["PATH"];
  process.env["PATH"] = "/nonexistent";
  try {
    const { backend } = await chooseBackend({}, defaultLimits, log);
    assert.equal(backend.name, "process");
    await assert.rejects(chooseBackend({ backend: "bubblewrap" }, defaultLimits, log), {
      code: "UNAVAILABLE",
      retryable: false,
      message: /no sandbox can be started.*(ENOENT|bwrap: No such file)/,
      hint: /apt-get install bubblewrap/,
    });
  } finally {
    process.env["PATH"] = path;
  }
  assert.match(said[0] as string, /bubblewrap does not work here.*(ENOENT|bwrap: No such file)/);
  assert.ok(said.some((text) => /does not hide the host's files/.test(text)));
});
