import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostReport } from "../core/endpoint-actor.js";
import type { EndpointId } from "../core/ids.js";
import { bucketMs } from "../core/tallies.js";
import { Totals } from "./totals.js";

const [a, b] = ["ea", "eb"] as EndpointId[] as [EndpointId, EndpointId];

function host(endpoint: EndpointId, ok: number, lost: number): HostReport {
  const traffic = { batchesOut: ok, bytesOut: 10 * ok, batchesIn: 1, bytesIn: 2, malformed: 0, reconnects: 0 };
  const buckets = bucketMs.map(() => 0).concat(ok + lost);
  const at = { endpoint, pid: 1, thread: 0, lagMs: 0, rssBytes: 0, cpuMs: 0, outgoing: 0, traffic };
  return {
    at,
    cells: [],
    methods: [{ def: "d", method: "m", ok, errors: { USER_ERROR: lost }, buckets, totalMs: ok }],
  };
}
const all = (...reports: HostReport[]) => new Map(reports.map((r) => [r.at.endpoint as EndpointId, r]));

test("the sums of a node stay when a host of it ends, or does not answer", () => {
  const totals = new Totals();
  const now = () => {
    const { methods, traffic } = totals.sum();
    return [methods[0]!.ok, methods[0]!.errors["USER_ERROR"], methods[0]!.buckets.at(-1), traffic.bytesOut];
  };
  totals.update(new Set([a, b]), all(host(a, 3, 1), host(b, 10, 0)));
  assert.deepEqual(now(), [13, 1, 14, 130]);
  totals.update(new Set([a, b]), all(host(a, 4, 1))); // b is silent
  assert.deepEqual(now(), [14, 1, 15, 140]);
  totals.update(new Set([a]), all(host(a, 4, 1))); // b has ended
  totals.update(new Set([a]), all(host(a, 5, 2)));
  assert.deepEqual(now(), [15, 2, 17, 150]);
});
