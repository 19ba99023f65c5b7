// An actor that programs in other languages call: its messages are those of calculator.proto. call.py calls it.
import { fileURLToPath } from "node:url";
import { defineActor, isMain, join } from "actors";
import protobuf from "protobufjs";

interface Numbers {
  values: number[];
}

class Calculator {
  sum({ values }: Numbers) {
    if (values.length === 0) throw new Error("there is nothing to add up");
    return { value: values.reduce((total, each) => total + each, 0) };
  }
  /** The sum so far, after each value. */
  async *sums({ values }: Numbers) {
    for (let i = 1; i <= values.length; i++) yield this.sum({ values: values.slice(0, i) });
  }
}

const messages = protobuf.loadSync(
  fileURLToPath(new URL("../../../examples/other-languages/calculator.proto", import.meta.url)),
);
const wire = { request: messages.lookupType("example.Numbers"), reply: messages.lookupType("example.Sum") };

export const calculator = defineActor({
  name: "calculator",
  module: import.meta.url,
  class: Calculator,
  wire: { sum: wire, sums: wire },
});

if (isMain(import.meta)) {
  await using system = await join({ required: true });
  await system.getOrSpawn(calculator, { name: "calculator", detached: true });
}
