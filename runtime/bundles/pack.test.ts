import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { actors } from "#protos";
import { isActorsError } from "../core/errors.js";
import { packageRoot } from "./job.js";
import { lockWithoutRuntime, withoutRuntime } from "./manifest.js";
import { bundleOf, folderUrl, nameIn, urlIn } from "./names.js";
import { pack } from "./pack.js";
import { temporary, write } from "./testing.js";
import { unpack } from "./unpack.js";

const manifest = JSON.stringify({ name: "job", version: "1.0.0" });

function job(t: TestContext, files: Record<string, string>): string {
  const dir = temporary(t);
  write(dir, { "package.json": manifest, "index.js": "1;\n", ...files });
  return dir;
}

const packed = (dir: string, limit?: number) => pack(dir, join(dir, "index.js"), limit);

describe("a bundle", () => {
  it("has the hash of its paths, contents and executable bits, and of nothing else", async (t) => {
    const [a, b] = [job(t, { "z.js": "z", "lib/a.js": "a" }), job(t, { "lib/a.js": "a", "z.js": "z" })];
    utimesSync(join(b, "z.js"), 1, 1);
    chmodSync(join(b, "z.js"), 0o600);
    const { hash } = await packed(a);
    assert.equal((await packed(b)).hash, hash);
    chmodSync(join(b, "z.js"), 0o755);
    assert.notEqual((await packed(b)).hash, hash);
    chmodSync(join(b, "z.js"), 0o644);
    write(b, { "z.js": "y" });
    assert.notEqual((await packed(b)).hash, hash);
  });

  it("comes out as it went in", async (t) => {
    const from = job(t, { "bin/run.sh": "#!/bin/sh\n", "empty.txt": "" });
    chmodSync(join(from, "bin/run.sh"), 0o755);
    const to = join(temporary(t), "out");
    mkdirSync(to);
    await unpack((await packed(from)).bytes, to);
    assert.deepEqual(readdirSync(to, { recursive: true }).sort(), readdirSync(from, { recursive: true }).sort());
    assert.equal(readFileSync(join(to, "bin/run.sh"), "utf8"), "#!/bin/sh\n");
    assert.ok(statSync(join(to, "bin/run.sh")).mode & 0o100);
    assert.ok(!(statSync(join(to, "index.js")).mode & 0o100));
  });

  it("leaves out what git ignores, what is installed and what is a cluster's, but not the module's own build", async (t) => {
    const dir = job(t, {
      ".gitignore": "dist/\n*.log\npackage-lock.json\n",
      "src/.gitignore": "secret.txt",
      "src/secret.txt": "",
      "src/index.ts": "",
      "dist/index.js": "",
      "dist/part/x.js": "",
      "a.log": "",
      "package-lock.json": "{}",
      "node_modules/d/index.js": "",
      "sub/node_modules/d/index.js": "",
      ".actors/cluster.json": "",
      ".git/config": "",
    });
    const common = [".gitignore", "index.js", "package-lock.json", "package.json", "src/.gitignore", "src/index.ts"];
    assert.deepEqual([...(await packed(dir)).files], common);
    const built = await pack(dir, join(dir, "dist/index.js"));
    assert.deepEqual([...built.files], [...common, "dist/index.js", "dist/part/x.js"].sort());
  });

  it("takes .actorsignore instead of .gitignore where there is one, and the rules of the folders above", async (t) => {
    const repository = temporary(t);
    write(repository, {
      ".git/HEAD": "",
      ".gitignore": "*.tmp",
      "job/package.json": manifest,
      "job/index.js": "",
      "job/.gitignore": "needed.bin",
      "job/.actorsignore": "data/",
      "job/needed.bin": "",
      "job/data/big.bin": "",
      "job/x.tmp": "",
    });
    const { files } = await packed(join(repository, "job"));
    assert.deepEqual([...files], [".actorsignore", ".gitignore", "index.js", "needed.bin", "package.json"]);
  });

  it("is refused with the largest files when it is too large", async (t) => {
    const dir = job(t, { "data/big.bin": "x".repeat(3e5), "data/small.bin": "x".repeat(2e5) });
    await assert.rejects(
      packed(dir, 4e5),
      (error) =>
        isActorsError(error, "INVALID_ARGUMENT") &&
        /0\.5 MB, over the 0\.4 MB .*: data\/big\.bin \(0\.3 MB\), data\/small\.bin \(0\.2 MB\)/.test(error.message),
    );
  });

  it("is refused with a symbolic link, or dependencies that nothing pins", async (t) => {
    const linked = job(t, {});
    symlinkSync("/etc/hostname", join(linked, "link"));
    await assert.rejects(packed(linked), /link is a symbolic link/);
    const unpinned = job(t, { "package.json": JSON.stringify({ name: "job", dependencies: { left: "1" } }) });
    await assert.rejects(packed(unpinned), /has dependencies but no package-lock\.json/);
    const own = job(t, { "package.json": JSON.stringify({ name: "job", dependencies: { actors: "file:x" } }) });
    await packed(own);
  });

  it("is not unpacked when a path in it leads elsewhere", async (t) => {
    const dir = temporary(t);
    for (const path of ["../x", "/x", "a/../../x", "", "a//b", "./x", "a\\b", "node_modules/x/index.js"]) {
      const bytes = actors.v1.Bundle.encode({ files: [{ path, content: new Uint8Array() }] }).finish();
      await assert.rejects(unpack(bytes, dir), (error) => isActorsError(error, "INVALID_ARGUMENT"), path);
    }
    const twice = actors.v1.Bundle.encode({ files: [{ path: "a" }, { path: "a" }] }).finish();
    await assert.rejects(unpack(twice, dir), /EEXIST/);
    assert.deepEqual(readdirSync(dir), ["a"]);
  });
});

describe("a module's name", () => {
  const hash = "a".repeat(64);

  it("leads back to the module, and nowhere else", () => {
    const name = nameIn(hash, folderUrl("/job"), "file:///job/lib/a%20b.js?x");
    assert.equal(bundleOf(name), hash);
    assert.equal(urlIn("/cache/it", name), "file:///cache/it/lib/a%20b.js?x");
    assert.equal(bundleOf("file:///job/x.js"), undefined);
    for (const bad of [`bundle:${hash}/../x.js`, `bundle:${hash}/%2e%2e/x.js`, "bundle:../x"])
      assert.throws(() => urlIn("/cache/it", bad), /names no module of a bundle/, bad);
  });

  it("is looked for in the package with a name or a lock file, outside of node_modules", (t) => {
    const dir = job(t, {
      "dist/package.json": '{"type":"module"}',
      "dist/a.js": "",
      "node_modules/d/package.json": manifest,
    });
    assert.equal(packageRoot(join(dir, "dist/a.js")), dir);
    assert.equal(packageRoot(join(dir, "node_modules/d/x.js")), dir);
    assert.equal(packageRoot("/nowhere/x.js"), undefined);
  });
});

describe("the runtime", () => {
  it("is left out of what npm installs, wherever it came from", () => {
    const dependencies = { actors: "1", left: "2" };
    assert.deepEqual(withoutRuntime({ name: "job", dependencies, peerDependencies: { actors: "1" } }), {
      name: "job",
      dependencies: { left: "2" },
      peerDependencies: {},
    });
    const packages = {
      "": { dependencies },
      "../actors": { name: "actors" },
      "../actors/node_modules/x": {},
      "../actors-too": {},
      "node_modules/actors": { link: true, resolved: "../actors" },
      "node_modules/actors/node_modules/x": {},
      "node_modules/left": {},
    };
    assert.deepEqual(lockWithoutRuntime({ packages, dependencies: { actors: {}, left: {} } }), {
      packages: { "": { dependencies: { left: "2" } }, "../actors-too": {}, "node_modules/left": {} },
      dependencies: { left: {} },
    });
  });
});
