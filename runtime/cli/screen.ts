import { writeSync } from "node:fs";
import { width } from "./text.js";

/** What it needs of `process.stdout`. */
export interface Terminal {
  write(text: string): unknown;
  readonly columns: number;
  readonly rows: number;
  readonly fd?: number;
}

const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
// A terminal that knows synchronized updates shows each frame at once; others ignore the marks.
const beginFrame = "\x1b[?2026h";
const endFrame = "\x1b[?2026l";
const eraseLineEnd = "\x1b[K";
const eraseBelow = "\x1b[J";

/** A block of lines kept at the bottom, redrawn in place, with a log scrolling above it. */
export class Screen {
  readonly #out: Terminal;
  #block: string[] = [];
  #shown = false;
  readonly #restore = () => {
    if (this.#out.fd !== undefined) writeSync(this.#out.fd, showCursor);
  };

  constructor(out: Terminal) {
    this.#out = out;
  }

  /** Replaces the block. Lines must be narrower than the terminal. */
  draw(block: string[]): void {
    if (this.#shown && same(block, this.#block)) return;
    this.#frame("", block);
  }

  /** A line of the log, above the block. */
  print(line: string): void {
    this.#frame(`${line}${eraseLineEnd}\n`, this.#block);
  }

  /** Removes the block and gives the cursor back. */
  close(): void {
    if (!this.#shown) return;
    this.#out.write(`${this.#toTop()}${eraseBelow}${showCursor}`);
    process.off("exit", this.#restore);
    this.#block = [];
    this.#shown = false;
  }

  #frame(log: string, block: string[]): void {
    const body = block.map((line) => `${line}${eraseLineEnd}\n`).join("");
    const start = this.#shown ? "" : hideCursor;
    this.#out.write(`${beginFrame}${start}${this.#toTop()}${log}${body}${eraseBelow}${endFrame}`);
    if (!this.#shown) process.once("exit", this.#restore);
    this.#shown = true;
    this.#block = block;
  }

  /** The cursor rests below the block. After the window became narrower the old lines take more rows. */
  #toTop(): string {
    const cells = Math.max(1, this.#out.columns);
    const rows = this.#block.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(line) / cells)), 0);
    return rows > 0 ? `\x1b[${rows}A\r` : "";
  }
}

const same = (a: string[], b: string[]) => a.length === b.length && a.every((line, i) => line === b[i]);
