import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { unzip, zip } from "./zip.js";

const files = fc.uniqueArray(
  fc
    .tuple(
      fc.stringMatching(/^[a-zé0-9_]{1,8}(\/[a-z]{1,5}){0,2}$/),
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(0o644, 0o755),
    )
    .map(([path, content, mode]) => ({ path, content: Buffer.from(content), mode })),
  { selector: ({ path }) => path, maxLength: 5 },
);

test("what was packed is unpacked as it was", () => {
  fc.assert(fc.property(files, (all) => assert.deepEqual(unzip(zip(all), 1 << 20), all)));
});

test("bytes that are no archive, or are cut or changed, are refused or read, and nothing else is thrown", () => {
  fc.assert(
    fc.property(files, fc.nat(), fc.nat(255), (all, at, byte) => {
      const bytes = zip(all);
      bytes[at % bytes.length] = byte;
      for (const broken of [bytes, bytes.subarray(0, at % bytes.length)])
        try {
          unzip(broken, 1 << 20);
        } catch (error) {
          assert.equal((error as { status?: number }).status, 400);
        }
    }),
  );
});

test("an archive that is larger unpacked than allowed is refused without unpacking it", () => {
  const bomb = zip([{ path: "bomb", content: Buffer.alloc(10 << 20), mode: 0o644 }]);
  assert.ok(bomb.length < 20_000);
  assert.throws(() => unzip(bomb, 1 << 20), { status: 400, message: /too large/ });
  assert.ok(deflateRawSync(Buffer.alloc(1 << 20)).length < 2_000);
});

test("Python reads our archives, and we read Python's", (t) => {
  const read =
    "import sys,io,zipfile; z=zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())); assert z.testzip() is None; print(z.read('d/a').decode(), end='')";
  const content = Buffer.from("hello".repeat(100));
  const packed = zip([{ path: "d/a", content, mode: 0o644 }]);
  const told = spawnSync("python3", ["-c", read], { input: packed });
  if (told.error) return t.skip("python3 is not installed");
  assert.equal(told.stdout.toString(), content.toString(), told.stderr.toString());
  const write =
    "import sys,io,zipfile; b=io.BytesIO(); z=zipfile.ZipFile(b,'w'); z.writestr('d/',''); z.writestr('d/a','stored'); z.writestr('b','x'*999,zipfile.ZIP_DEFLATED); z.close(); sys.stdout.buffer.write(b.getvalue())";
  const made = unzip(spawnSync("python3", ["-c", write]).stdout, 1 << 20);
  assert.deepEqual(
    made.map(({ path, content: bytes }) => [path, bytes.length]),
    [
      ["d/a", 6],
      ["b", 999],
    ],
  );
});
