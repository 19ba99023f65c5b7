import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActorInfo, NodeInfo } from "../system.js";
import { Screen } from "./screen.js";
import { progressText, renderStatus, type Status } from "./status.js";
import { clip, duration, number, plain } from "./text.js";

const node = (id: string, pid: number): NodeInfo => ({
  id,
  state: "up",
  host: "h",
  pid,
  cpus: 2,
  memoryMb: 1,
  devices: [],
  resources: {},
  labels: {},
  actors: 0,
  metrics: "",
});
const actor = (def: string, on: string, state: ActorInfo["state"] = "RUNNING", restarts = 0): ActorInfo => ({
  id: `${def}-${on}`,
  name: "",
  def,
  state,
  node: on,
  epoch: 1,
  restarts,
  hosting: "process",
  pid: 1,
  owner: "",
  devices: [],
  waiting: "",
  failure: "",
  crashes: [],
});

const status: Status = {
  title: "quickstart · 2 nodes",
  seconds: 62,
  nodes: [node("n1", 11), node("n2", 12)],
  actors: [
    actor("learner", "n1"),
    actor("learner", "n2"),
    actor("policy", "n2"),
    actor("rollout", "n1", "RESTARTING", 2),
  ],
  progress: { step: 30, steps: 120, phase: "training", fields: { reward: 0.4312, "tokens/s": 2310.4 }, etaSeconds: 80 },
  note: "Ctrl-C stops",
};

test("the table shows nodes with what runs on them, actors with their states, and the progress", () => {
  assert.deepEqual(renderStatus(status, 60, 30), [
    "quickstart · 2 nodes · 1:02                     Ctrl-C stops",
    "",
    "NODE  STATE  PID  ACTORS",
    "n1    up     11   learner",
    "n2    up     12   learner, policy",
    "",
    "ACTOR    RUNNING  OTHER       RESTARTS",
    "learner  2/2                  0",
    "policy   1/1                  0",
    "rollout  0/1      restarting  2",
    "",
    "training  [######..................]  30/120  ETA 1:20",
    "reward 0.431   tokens/s 2,310",
  ]);
});

test("the table never exceeds the terminal: long lines are cut, and rows of actors give way to the progress", () => {
  for (const [cells, rows] of [
    [30, 8],
    [10, 3],
    [1, 1],
    [79, 23],
  ] as const) {
    const lines = renderStatus(status, cells, rows);
    assert.ok(lines.length <= rows, `${lines.length} rows of ${rows}`);
    for (const line of lines) assert.ok([...line].length <= cells, line);
  }
  assert.equal(renderStatus(status, 60, 8).at(-1), "reward 0.431   tokens/s 2,310");
});

test("a step is one line where there is no terminal", () => {
  assert.equal(progressText(status.progress!), "training 30/120   reward 0.431   tokens/s 2,310   ETA 1:20");
});

test("numbers keep three digits, times the shortest form, and text cannot move the cursor", () => {
  assert.deepEqual([0.5, 0.12345, 12, 1234567, 99.96, 123.4, 0, -0.02, Number.NaN].map(number), [
    "0.5",
    "0.123",
    "12",
    "1,234,567",
    "100",
    "123",
    "0",
    "-0.02",
    "NaN",
  ]);
  assert.deepEqual([5, 65, 3725].map(duration), ["0:05", "1:05", "1:02:05"]);
  assert.equal(plain("a\x1b[2Jb\nc\rd"), "ab c d");
  assert.equal(clip("abcdef", 4), "abc…");
});

/** The part of a terminal that the screen uses: rows of text, a cursor, and no scrolling. */
class Tty {
  readonly columns = 40;
  readonly rows = 20;
  cursorHidden = false;
  #lines: string[] = [""];
  #row = 0;

  write(text: string): void {
    // biome-ignore-start lint/suspicious/noControlCharactersInRegex: escape sequences are what it reads
    for (const part of text.split(/(?=\u001b)/)) {
      const [code, n, letter] = /^\u001b\[\??(\d*)([A-Za-z])/.exec(part) ?? [""];
      // biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above
      if (code) this.#control(code, Number(n || 1), letter!);
      for (const character of part.slice(code.length)) {
        if (character === "\n") this.#lines[++this.#row] ??= "";
        else if (character !== "\r") this.#lines[this.#row] += character;
      }
    }
  }

  /** Every line is written from its start, so that up and erase are enough. */
  #control(code: string, n: number, letter: string): void {
    if (code === "\x1b[?25l") this.cursorHidden = true;
    if (code === "\x1b[?25h") this.cursorHidden = false;
    if (letter === "A") {
      this.#row -= n;
      for (let i = this.#row; i < this.#lines.length; i++) this.#lines[i] = "";
    }
    if (letter === "J") this.#lines.length = this.#row + 1;
  }

  get text(): string[] {
    return this.#lines.filter(Boolean);
  }
}

test("the block is redrawn in place with the log above it, and the cursor comes back", () => {
  const tty = new Tty();
  const screen = new Screen(tty);
  screen.draw(["one", "two"]);
  assert.ok(tty.cursorHidden);
  screen.draw(["one", "2"]);
  screen.print("a line");
  assert.deepEqual(tty.text, ["a line", "one", "2"]);
  screen.draw(["1"]);
  assert.deepEqual(tty.text, ["a line", "1"]);
  screen.close();
  assert.deepEqual(tty.text, ["a line"]);
  assert.ok(!tty.cursorHidden);
});

test("a frame is one write, and an unchanged block none", () => {
  let writes = 0;
  const screen = new Screen({ write: () => writes++, columns: 40, rows: 20 });
  screen.draw(["a", "b", "c"]);
  screen.draw(["a", "b", "c"]);
  assert.equal(writes, 1);
  screen.close();
});
