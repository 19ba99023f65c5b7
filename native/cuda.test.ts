import assert from "node:assert/strict";
import { test } from "node:test";
import { NativeError } from "./error.js";
import { cudaDevice } from "./index.js";

test("the CUDA backend names its GPU, or says why there is none", () => {
  try {
    assert.match(cudaDevice(), /^cuda: ./);
  } catch (error) {
    assert.ok(error instanceof NativeError, String(error));
    assert.equal(error.code, "UNSUPPORTED");
    assert.match(error.message, /^no CUDA device: .|could not be opened: .|supports \d+\.\d+: update /);
  }
});
