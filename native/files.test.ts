import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { describe, it } from "node:test";
import { Learner, mapFile } from "./index.js";
import { failsWith, folderFor, learnerFor, smallModel } from "./test/helpers.js";

const index = new URL("./index.js", import.meta.url).href;

/** Runs a script with DIR a full-sized 256 kB disk of its own; null where the system does not let us mount one. */
function onSmallDisk(dir: string, script: string): { status: number | null; output: string } | null {
  const shell = (command: string) =>
    spawnSync("unshare", ["-Urm", "sh", "-c", `mount -t tmpfs -o size=256k none "$DIR" && ${command}`], {
      env: { ...process.env, DIR: dir, SCRIPT: script },
      encoding: "utf8",
      timeout: 60_000,
    });
  if (shell("true").status !== 0) return null;
  const { status, stdout, stderr } = shell(`exec "${process.execPath}" --input-type=module -e "$SCRIPT"`);
  return { status, output: stdout + stderr };
}

describe("files", () => {
  it("refuses a truncated or damaged checkpoint and says which part is wrong", async (t) => {
    const dir = folderFor(t);
    await learnerFor(t).save(dir);
    const file = `${dir}/model.safetensors`;
    const good = fs.readFileSync(file);
    const load = () => Learner.load(dir);
    fs.writeFileSync(file, good.subarray(0, good.length - 100));
    await failsWith("CORRUPT_FILE", /model\.safetensors .*truncated: tensor \S+ ends at byte \d+/, load);
    fs.writeFileSync(file, good.subarray(0, 5));
    await failsWith("CORRUPT_FILE", /only 5 bytes/, load);
    const flipped = Buffer.from(good);
    flipped[good.length - 50]! ^= 1;
    fs.writeFileSync(file, flipped);
    await failsWith("CORRUPT_FILE", /does not match its checksum/, load);
    fs.writeFileSync(file, "PK\x03\x04 this is a zip file, not a safetensors one");
    await failsWith("CORRUPT_FILE", /header claims/, load);
    fs.rmSync(file);
    await failsWith("IO", /could not open .*model\.safetensors: No such file/, load);
  });

  it("refuses a config it cannot compute, and names the feature", async (t) => {
    const dir = folderFor(t);
    await learnerFor(t).save(dir);
    const config = JSON.parse(fs.readFileSync(`${dir}/config.json`, "utf8"));
    const load = (change: object) => {
      fs.writeFileSync(`${dir}/config.json`, JSON.stringify({ ...config, ...change }));
      return Learner.load(dir);
    };
    await failsWith("UNSUPPORTED", /gpt2/, () => load({ model_type: "gpt2" }));
    await failsWith("UNSUPPORTED", /attention_bias/, () => load({ attention_bias: true }));
    await failsWith("UNSUPPORTED", /hidden_act "gelu"/, () => load({ hidden_act: "gelu" }));
    await failsWith("UNSUPPORTED", /rope_type "yarn"/, () => load({ rope_parameters: { rope_type: "yarn" } }));
    await failsWith("UNSUPPORTED", /attention_multiplier 0\.5/, () => load({ attention_multiplier: 0.5 }));
    await failsWith("UNSUPPORTED", /sliding_window/, () => load({ sliding_window: 4096 }));
    await failsWith("UNSUPPORTED", /quantization_config/, () => load({ quantization_config: { bits: 4 } }));
    await failsWith("CORRUPT_FILE", /model\.safetensors: tensor \S+\.bias is missing/, () =>
      load({ model_type: "qwen2" }),
    );
    await failsWith("CORRUPT_FILE", /hidden_size/, () => load({ hidden_size: "big" }));
    await failsWith("CORRUPT_FILE", /shape \[50, 32\], the model needs \[50, 16\]/, () => load({ hidden_size: 16 }));
    fs.writeFileSync(`${dir}/config.json`, "{ not json");
    await failsWith("CORRUPT_FILE", /config\.json is not valid JSON: .* at byte 2/, () => Learner.load(dir));
  });

  it("reports a full disk as such and leaves nothing half written", (t) => {
    const dir = folderFor(t);
    const script = `
      import fs from "node:fs";
      import { Learner, Collective, mapFile } from "${index}";
      const dir = process.env.DIR;
      const learner = Learner.create(${JSON.stringify({ ...smallModel, dim: 128 })}, 1);
      const attempts = {
        publish: () => learner.publish(dir + "/weights"),
        state: () => learner.saveState(dir + "/state"),
        save: () => learner.save(dir + "/checkpoint"),
        map: () => mapFile(dir + "/map", 1 << 20, true),
        join: () => Collective.join({ path: dir + "/group", rank: 0, world: 1, timeoutMs: 1000 }),
      };
      for (const [name, attempt] of Object.entries(attempts)) {
        try { await attempt(); console.log(name, "worked"); } catch (e) { console.log(name, e.code, e.message); }
      }
      console.log("left:", fs.readdirSync(dir).filter((f) => f.includes("tmp") || f === "weights" || f === "state").join());
      learner.close();`;
    const result = onSmallDisk(dir, script);
    if (result === null) return t.skip("this system does not allow a mount of one's own");
    const { status, output } = result;
    assert.equal(status, 0, output);
    for (const name of ["publish", "state", "save", "map", "join"]) {
      assert.match(output, new RegExp(`^${name} IO the disk is full: .*free some space`, "m"), output);
    }
    assert.match(output, /^left: $/m, output);
  });

  it("keeps the old file when a new one cannot be written", async (t) => {
    const learner = learnerFor(t);
    await failsWith("IO", /could not create \/nonexistent\/x: No such file/, () => learner.publish("/nonexistent/x"));
    const dir = folderFor(t);
    fs.mkdirSync(`${dir}/taken`);
    await failsWith("IO", /could not write .*taken/, () => learner.publish(`${dir}/taken`));
    assert.deepEqual(fs.readdirSync(dir), ["taken"]);
  });

  it("maps a file: what one mapping writes the other reads", async (t) => {
    const file = `${folderFor(t)}/map`;
    const a = new Uint8Array(mapFile(file, 10_000, true));
    const b = new Uint8Array(mapFile(file, 10_000, true));
    a[9_999] = 7;
    assert.equal(b[9_999], 7);
    const readOnly = new Uint8Array(mapFile(file, 10_000, false));
    assert.equal(readOnly[9_999], 7);
    readOnly[0] = 1;
    assert.equal(a[0], 0);
    await failsWith("INVALID_ARGUMENT", /has 10000 bytes/, () => mapFile(file, 10_001, false));
    await failsWith("IO", /could not open/, () => mapFile(`${file}-none`, 1, false));
    await failsWith("INVALID_ARGUMENT", /bytes/, () => mapFile(file, 0, false));
  });
});
