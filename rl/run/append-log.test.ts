import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { AppendLog } from "./append-log.js";

const folder = mkdtempSync(join(tmpdir(), "append-log-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const freshPath = () => join(folder, `log-${files++}`);

/** Writes the records and gives back what the file then holds. */
async function written(records: readonly Uint8Array[], path = freshPath()) {
  const { log } = await AppendLog.open(path);
  await Promise.all(records.map((record) => log.append(record)));
  await log.close();
  return { path, bytes: readFileSync(path) };
}

async function reopened(path: string) {
  const { log, records, tornBytes } = await AppendLog.open(path);
  await log.close();
  return { records: records.map((record) => [...record]), tornBytes };
}

const someRecords = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
const runs = { numRuns: 40 };

test("whatever is appended, also at once, is read back in order", async () => {
  await fc.assert(
    fc.asyncProperty(someRecords, someRecords, async (first, more) => {
      const { path } = await written(first);
      await written(more, path);
      assert.deepEqual(await reopened(path), {
        records: [...first, ...more].map((record) => [...record]),
        tornBytes: 0,
      });
    }),
    runs,
  );
});

test("cut anywhere, the whole records before the cut are there and the rest is gone for good", async () => {
  await fc.assert(
    fc.asyncProperty(someRecords, fc.nat(), fc.boolean(), async (records, at, zeros) => {
      const { path, bytes } = await written(records);
      const kept = bytes.subarray(0, at % (bytes.length + 1));
      const ends = records.map((_, i) => records.slice(0, i + 1).reduce((n, r) => n + frameLength(r), 0));
      const whole = ends.filter((end) => end <= kept.length).length;
      writeFileSync(path, zeros ? Buffer.concat([kept, Buffer.alloc(9)]) : kept); // as a file system may leave it
      assert.deepEqual(
        (await reopened(path)).records,
        records.slice(0, whole).map((record) => [...record]),
      );
      await written([Uint8Array.of(7)], path);
      const after = await reopened(path);
      assert.deepEqual([after.records.length, after.records.at(-1), after.tornBytes], [whole + 1, [7], 0]);
    }),
    runs,
  );
});

const frameLength = (record: Uint8Array) => 16 + 1 + String(record.length).length + 1 + record.length + 1;

test("a byte that changed in the middle is damage, not a torn tail", async () => {
  const { path, bytes } = await written([Buffer.from("first"), Buffer.from("second")]);
  bytes[frameLength(Buffer.from("first")) - 3]! ^= 1;
  writeFileSync(path, bytes);
  await assert.rejects(AppendLog.open(path), /log-\d+ is damaged at byte 0: whole records follow one that is not/);
});

test("after a write that failed nothing more is written", async () => {
  const { log } = await AppendLog.open(freshPath());
  await log.append(Uint8Array.of(1));
  await log.close();
  await assert.rejects(log.append(Uint8Array.of(2)));
  await assert.rejects(log.append(Uint8Array.of(3)));
  assert.equal((await reopened(log.path)).records.length, 1);
});
