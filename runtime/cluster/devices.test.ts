import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { devicesOfSlot, findDevices, freeDevices, handOut } from "./devices.js";
import { Load } from "./loads.js";

describe("GPUs of a machine", () => {
  it("are those that CUDA_VISIBLE_DEVICES leaves visible", () => {
    assert.deepEqual(findDevices({ CUDA_VISIBLE_DEVICES: "2, GPU-8f1e" }), ["2", "GPU-8f1e"]);
    assert.deepEqual(findDevices({ CUDA_VISIBLE_DEVICES: "0,-1,1" }), ["0"]);
    assert.deepEqual(findDevices({ CUDA_VISIBLE_DEVICES: "" }), []);
  });

  it("else those that the driver shows", (t) => {
    const dev = mkdtempSync(join(tmpdir(), "dev-"));
    t.after(() => rmSync(dev, { recursive: true }));
    for (const name of ["nvidia10", "nvidia2", "nvidiactl", "nvidia-uvm", "null"]) writeFileSync(join(dev, name), "");
    assert.deepEqual(findDevices({}, dev), ["2", "10"]);
    assert.deepEqual(findDevices({}, join(dev, "none")), []);
  });

  it("are handed out by one node each", () => {
    const all = ["0", "1", "2", "3", "4"];
    assert.deepEqual(devicesOfSlot(all, 1, 2), ["0", "2", "4"]);
    assert.deepEqual(devicesOfSlot(all, 2, 2), ["1", "3"]);
    assert.deepEqual(devicesOfSlot(all, 1, 1), all);
  });

  it("are never handed out beyond what they are, whoever comes and goes", () => {
    const ask = fc.constantFrom(0, 0.25, 0.5, 1, 2);
    fc.assert(
      fc.property(fc.array(fc.tuple(ask, fc.boolean()), { maxLength: 30 }), (steps) => {
        const devices = ["0", "1", "2"];
        const used = new Load();
        const ids: string[] = [];
        for (const [i, [gpus, leaves]] of steps.entries()) {
          if (leaves) used.remove(ids.shift() ?? "");
          const got = handOut(gpus, freeDevices({ devices, used }));
          if (got) used.add({ id: `${i}`, gang: "", needs: { gpus }, devices: got });
          if (got) ids.push(`${i}`);
          for (const part of freeDevices({ devices, used }).values()) assert.ok(part >= 0);
          if (got && gpus >= 1) assert.equal(new Set(got).size, gpus);
        }
      }),
    );
  });
});
