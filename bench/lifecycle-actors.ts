// The actor of bench/lifecycle.ts; bench/lifecycle.ray.py has its like.
import { defineActor } from "../runtime/index.js";

class Mortal {
  pid() {
    return process.pid;
  }
}
export const mortal = defineActor({
  name: "bench.mortal",
  module: import.meta.url,
  class: Mortal,
  idempotent: ["pid"],
});
