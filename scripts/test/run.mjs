import { availableParallelism } from "node:os";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";

const unitMs = 2 * 60_000;
const e2eMs = 10 * 60_000;
/** Files with real processes at once: more disturb each other's timing. */
const e2eAtOnce = 1;

/**
 * Runs both kinds, one after the other, and reports them as one run of node's own test runner.
 * @param {{ units: string[], e2e: string[] }} tests
 * @returns {Promise<boolean>} whether all passed
 */
export async function runTests({ units, e2e }) {
  const total = new Total();
  const phases = [
    { files: units, concurrency: availableParallelism(), timeout: unitMs },
    { files: e2e, concurrency: e2eAtOnce, timeout: e2eMs },
  ].filter(({ files }) => files.length > 0);
  async function* events() {
    for (const phase of phases) {
      for await (const event of run(phase)) if (!total.takes(event)) yield total.renumbered(event);
      total.endPhase();
    }
    yield* total.summary();
  }
  // Node's choice: for people on a terminal, TAP elsewhere.
  const reporter = process.stdout.isTTY ? new spec() : tap;
  await pipeline(Readable.from(events()), /** @type {NodeJS.ReadWriteStream} */ (reporter), process.stdout, {
    end: false,
  });
  return total.passed;
}

/** @typedef {{ type: string, data: any }} TestEvent as node:test emits them */

/** Adds up what node says at the end of each run, so that it is said once. */
class Total {
  /** @type {Map<string, number>} in node's order: tests suites pass fail cancelled skipped todo duration_ms */
  #counts = new Map();
  #top = 0;
  #offset = 0;
  passed = true;

  /**
   * @param {TestEvent} event
   * @returns {boolean} whether it belongs to the end of a run, which is kept back
   */
  takes({ type, data }) {
    if (type === "test:fail" && data.todo === undefined) this.passed = false;
    if (data.nesting !== 0 || data.file !== undefined) return type === "test:summary";
    if (type === "test:diagnostic") {
      const [, name, value] = /^(\w+) ([\d.]+)$/.exec(data.message) ?? [];
      if (name === undefined) return false;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + Number(value));
      return true;
    }
    return type === "test:plan" || type === "test:summary";
  }

  /**
   * Numbers of top-level tests go on over the phases.
   * @param {TestEvent} event
   * @returns {TestEvent}
   */
  renumbered({ type, data }) {
    if (data.nesting !== 0 || data.testNumber === undefined) return { type, data };
    const testNumber = data.testNumber + this.#offset;
    this.#top = Math.max(this.#top, testNumber);
    return { type, data: { ...data, testNumber } };
  }

  endPhase() {
    this.#offset = this.#top;
  }

  /** @returns {Iterable<TestEvent>} */
  *summary() {
    yield { type: "test:plan", data: { nesting: 0, count: this.#top } };
    for (const [name, value] of this.#counts) {
      yield { type: "test:diagnostic", data: { nesting: 0, message: `${name} ${value}` } };
    }
  }
}
