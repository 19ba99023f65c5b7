import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { machineMs, mapFile } from "../../native/index.js";
import { Lease, leaseVerdict } from "./fence.js";
import { fenceMs, killMs } from "./protocol.js";

/** The lease of another process's node: this one must not die with it. */
function leaseSince(t: TestContext, from: number) {
  const dir = mkdtempSync(join(tmpdir(), "lease-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "lease");
  const page = new BigInt64Array(mapFile(file, 16, true));
  page[0] = BigInt(Math.round((from + killMs) * 1e6));
  return { file, page, lease: Lease.of(file) };
}
const about = (ms: number, wanted: number) => assert.ok(ms <= wanted && ms > wanted - 900, `${ms}, not ${wanted}`);

describe("a node's lease", () => {
  it("lasts from the sending of the newest heartbeat that came back, and is never shortened", (t) => {
    const now = machineMs();
    const { lease } = leaseSince(t, now - 1_000);
    about(lease.left, fenceMs - 1_000);
    lease.renew(now - 100);
    about(lease.left, fenceMs - 100);
    lease.renew(now - 700); // one that came back late
    about(lease.left, fenceMs - 100);
  });

  it("is never renewed once it is over, though the kernel has not ended the process yet", (t) => {
    const now = machineMs();
    const { lease, page } = leaseSince(t, now - fenceMs - 1);
    const before = page[0];
    lease.renew(now);
    assert.equal(page[0], before);
  });

  it("tells once that it is over, however often another thread renewed it meanwhile", async (t) => {
    const { lease, file } = leaseSince(t, machineMs() - fenceMs + 150);
    const other = Lease.of(file);
    let overs = 0;
    const over = new Promise<void>((resolve) => {
      lease.onOver(() => {
        overs++;
        resolve();
      });
    });
    const from = machineMs() - fenceMs + 500;
    other.renew(from);
    await over;
    assert.ok(machineMs() >= from + fenceMs);
    assert.equal(overs, 1);
  });

  it("says why it ended a node, and nothing of one that lives or never ran", (t) => {
    const { lease, file, page } = leaseSince(t, machineMs());
    assert.equal(leaseVerdict(file), undefined);
    assert.equal(leaseVerdict(`${file}-none`), undefined);
    lease.kill(10_050);
    assert.match(leaseVerdict(file)!, /event loop was held for 10050 ms .*hosting: "thread"/);
    page[1] = 0n;
    assert.match(leaseVerdict(file)!, /none of its heartbeats had come back for 1400 ms/);
  });
});
