import type { ActorSystem, SystemEvent } from "../system.js";
import type { JobResult, Progress } from "./job.js";
import { Screen, type Terminal } from "./screen.js";
import { progressText, renderStatus, type Status } from "./status.js";
import { plain, took } from "./text.js";

export interface Outcome extends JobResult {
  /** Why it ended before its end, such as "Ctrl-C"; null when it ran to its end. */
  stopped: string | null;
  seconds: number;
}

/** How `actors up` shows itself: a table on a terminal, lines elsewhere, objects with --json. */
export interface Face {
  step(text: string, ms: number): void;
  /** The cluster is up. @param title such as `quickstart · seed 7` */
  up(system: ActorSystem, title: string): void;
  event(event: SystemEvent): void;
  line(text: string): void;
  progress(progress: Progress): void;
  stopping(why: string): void;
  /** Everything has ended. */
  end(outcome: Outcome): void;
  close(): void;
}

type Out = Pick<NodeJS.WriteStream, "write">;

export class LineFace implements Face {
  readonly #out: Out;
  #last = "";

  constructor(out: Out) {
    this.#out = out;
  }

  step(text: string, ms: number): void {
    this.line(`${text} (${took(ms)})`);
  }

  up(_system: ActorSystem, title: string): void {
    this.line(title);
  }

  event(event: SystemEvent): void {
    this.line(event.text);
  }

  line(text: string): void {
    this.#out.write(`${plain(text)}\n`);
  }

  /** One line a step: further reports on the same step say nothing new to a log. */
  progress(progress: Progress): void {
    const key = `${progress.phase} ${progress.step}`;
    if (key === this.#last) return;
    this.#last = key;
    this.line(progressText(progress));
  }

  stopping(why: string): void {
    this.line(why);
  }

  end({ summary }: Outcome): void {
    for (const text of summary) this.line(text);
  }

  close(): void {}
}

export class JsonFace implements Face {
  readonly #out: Out;

  constructor(out: Out) {
    this.#out = out;
  }

  step(text: string, ms: number): void {
    this.#say("step", { text, ms: Math.round(ms) });
  }

  up(system: ActorSystem, title: string): void {
    this.#say("up", {
      title,
      cluster: system.cluster.id,
      nodes: system.ps().nodes.map(({ id, pid }) => ({ id, pid })),
    });
  }

  event({ at, kind, subject, text }: SystemEvent): void {
    this.#say("cluster", { at, kind, subject, text });
  }

  line(text: string): void {
    this.#say("line", { text });
  }

  progress(progress: Progress): void {
    this.#say("progress", { ...progress });
  }

  stopping(why: string): void {
    this.#say("stopping", { why });
  }

  end(outcome: Outcome): void {
    this.#say("end", { ...outcome });
  }

  close(): void {}

  #say(event: string, fields: Record<string, unknown>): void {
    this.#out.write(`${JSON.stringify({ event, ...fields })}\n`);
  }
}

const refreshMs = 250;

export class TableFace implements Face {
  readonly #out: Terminal;
  readonly #screen: Screen;
  readonly #started = performance.now();
  #system: ActorSystem | undefined;
  #timer: NodeJS.Timeout | undefined;
  #status: Status = { title: "", seconds: 0, nodes: [], actors: [], progress: null, note: "Ctrl-C stops" };

  constructor(out: Terminal) {
    this.#out = out;
    this.#screen = new Screen(out);
  }

  step(text: string, ms: number): void {
    this.line(`${text} (${took(ms)})`);
  }

  up(system: ActorSystem, title: string): void {
    this.#system = system;
    this.#status.title = title;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), refreshMs);
  }

  event(event: SystemEvent): void {
    this.line(event.text);
  }

  line(text: string): void {
    if (this.#timer) this.#screen.print(plain(text));
    else this.#out.write(`${plain(text)}\n`);
  }

  progress(progress: Progress): void {
    this.#status.progress = progress;
  }

  stopping(why: string): void {
    this.#status.note = "Ctrl-C again forces";
    this.line(why);
  }

  end({ summary }: Outcome): void {
    this.close();
    for (const text of summary) this.line(text);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#screen.close();
  }

  #draw(): void {
    const { nodes, actors } = this.#system!.ps();
    const seconds = (performance.now() - this.#started) / 1000;
    this.#status = { ...this.#status, nodes, actors, seconds };
    // One cell and one row stay free: a line that fills the terminal wraps on some.
    this.#screen.draw(renderStatus(this.#status, this.#out.columns - 1, this.#out.rows - 1));
  }
}

export function chooseFace(out: NodeJS.WriteStream, json: boolean): Face {
  if (json) return new JsonFace(out);
  return out.isTTY && process.env["TERM"] !== "dumb" ? new TableFace(out) : new LineFace(out);
}
