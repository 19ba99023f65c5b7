import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostSample } from "../cluster/introspection.js";
import type { HostReport } from "../core/endpoint-actor.js";
import type { ActorInfo, NodeInfo } from "../system.js";
import { compare, type Top } from "./top.js";
import { renderTop } from "./top-table.js";

const traffic = { batchesOut: 0, bytesOut: 0, batchesIn: 0, bytesIn: 0, malformed: 0, reconnects: 0 };
const limits = { limit: 9, failed: 0, refused: 0, busyMs: 0, medianMs: null };
/** A process with one actor, unless it is an agent: its own counts. */
const report = (pid: number, thread: number, cpuMs: number, cells: [id: string, handled: number, depth: number][]) => {
  const at = { endpoint: `e${pid}`, pid, thread, lagMs: 2, rssBytes: 50e6, cpuMs, outgoing: 0, traffic };
  const all = cells.map(([id, handled, depth]) => ({ ...limits, id, def: "d", depth, inFlight: 1, handled }));
  return { at, cells: all, methods: [] } satisfies HostReport;
};
const host = (node: string, agent: boolean, told?: HostReport) => ({ node, agent, report: told });
const node = (id: string) => ({ id, state: "up" }) as NodeInfo;
const actor = (id: string, on: string, state: ActorInfo["state"] = "RUNNING") =>
  ({ id, name: "", def: "d", node: on, state, restarts: 0 }) as ActorInfo;

const before: HostSample = {
  at: 1_000,
  hosts: [
    host("n1", true, report(1, 0, 100, [["a1", 10, 0]])),
    host("n1", false, report(1, 3, 100, [["a2", 5, 0]])),
    host("n2", true, report(2, 0, 50, [])),
    host("n2", false, report(4, 0, 0, [["a3", 900, 0]])),
  ],
};
const now: HostSample = {
  at: 3_000,
  hosts: [
    host("n1", true, report(1, 0, 1_100, [["a1", 50, 0]])),
    host("n1", false, report(1, 3, 1_100, [["a2", 5, 7]])),
    host("n2", true, report(2, 0, 50, [])),
    host("n2", false, report(5, 0, 800, [["a3", 6, 0]])), // died meanwhile, and lives in another process
    host("n2", false),
  ],
};
const actors = [
  actor("a1", "n1"),
  actor("a2", "n1"),
  actor("a3", "n2"),
  actor("a4", "n2"),
  actor("a5", "n2", "STOPPED"),
];
const found = compare(before, now, { nodes: [node("n1"), node("n2")], actors });

test("rates are of the time between two looks, a process is counted once, and who is silent is told", () => {
  assert.deepEqual(
    found.nodes.map((n) => [n.cpuPercent, n.rssBytes, n.actors, n.callsPerSecond, n.lagMs, n.silent]),
    [
      [50, 50e6, 2, 20, 2, 0],
      [0, 100e6, 2, 3, 2, 1],
    ],
  );
  assert.deepEqual(
    found.actors.map(({ id, depth, inFlight, callsPerSecond }) => [id, depth, inFlight, callsPerSecond]),
    [
      ["a2", 7, 1, 0],
      ["a1", 0, 1, 20],
      ["a3", 0, 1, 3],
      ["a4", null, null, null],
    ],
  );
});

test("the table shows the fullest and busiest actors first, and what does not fit is counted", () => {
  const top: Top = {
    ...found,
    actors: found.actors.map((a) => ({ ...a, name: a.id === "a2" ? "p\x1b[2Jolicy" : "" })),
  };
  assert.deepEqual(renderTop(top), [
    "2 nodes · 4 actors · 23 calls/s",
    "",
    "NODE  STATE  CPU   MEMORY  ACTORS  CALLS/S  LOOP LATE  SILENT",
    "n1    up     50 %  50 MB   2       20       2 ms       0",
    "n2    up     0 %   100 MB  2       3        2 ms       1",
    "",
    "ACTOR   ID  NODE  STATE      MAILBOX  IN FLIGHT  CALLS/S  RESTARTS",
    "policy  a2  n1    running    7        1          0        0",
    "d       a1  n1    running    0        1          20       0",
    "d       a3  n2    running    0        1          3        0",
    "d       a4  n2    no answer  -        -          -        0",
  ]);
  const small = renderTop(top, { cells: 30, rows: 9 });
  assert.deepEqual(small.slice(-2), ["policy  a2  n1    running    …", "and 3 more lines"]);
  assert.equal(small.length, 9);
  for (let rows = 1; rows < 14; rows++) {
    const lines = renderTop(top, { cells: 30, rows });
    assert.ok(lines.length <= rows && lines.every((line) => [...line].length <= 30), `${rows} rows`);
  }
});
