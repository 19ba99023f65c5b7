import { pause } from "../core/wait.js";
import { headers, type NatsConnection, newInbox } from "./nats.js";

const answerMs = 2_000; // a server that starts again may take a write and never answer it
const lookMs = 250;
const wrongLastSequence = 10071; // JetStream's error code for a failed compare-and-set
const expected = "Nats-Expected-Last-Subject-Sequence";
const messageId = "Nats-Msg-Id";

interface Waiting {
  until: number;
  resolve(sequence: number): void;
  reject(error: Error): void;
}

/**
 * Writes to streams with compare-and-set. One inbox, numbered answers and one timer for all: the client's own way makes
 * two error objects and a timer for each, which is most of what a write costs.
 */
export class Writes {
  readonly #nc: NatsConnection;
  readonly #inbox: string;
  readonly #waiting = new Map<string, Waiting>();
  #last = 0;
  #watching = false;

  constructor(nc: NatsConnection) {
    this.#nc = nc;
    this.#inbox = `${newInbox(nc)}.`;
    nc.subscribe(`${this.#inbox}*`, {
      callback: (error, { subject, data }) => {
        const id = subject.slice(this.#inbox.length);
        const waiting = this.#waiting.get(id);
        if (!waiting) return;
        this.#waiting.delete(id);
        if (error) return waiting.reject(error);
        try {
          waiting.resolve(sequenceOf(data));
        } catch (cause) {
          waiting.reject(cause as Error);
        }
      },
    });
  }

  /**
   * @param last sequence of the subject's newest message; 0: there is none
   * @param id of this write, whenever it is sent; within two minutes it is done once
   * @returns the message's sequence, or 0 when `last` is not it
   */
  put(subject: string, data: Uint8Array, last: number, id: string): Promise<number> {
    const ask = (++this.#last).toString(36);
    const conditions = headers();
    conditions.set(expected, `${last}`);
    conditions.set(messageId, id);
    return new Promise((resolve, reject) => {
      this.#nc.publish(subject, data, { reply: this.#inbox + ask, headers: conditions });
      this.#waiting.set(ask, { until: performance.now() + answerMs, resolve, reject });
      void this.#watch();
    });
  }

  async #watch(): Promise<void> {
    if (this.#watching) return;
    this.#watching = true;
    while (this.#waiting.size > 0) {
      await pause(lookMs);
      const now = performance.now();
      for (const [id, { until, reject }] of this.#waiting) {
        if (until > now) break; // they wait in the order of their ends
        this.#waiting.delete(id);
        reject(new Error(`JetStream did not answer within ${answerMs} ms`));
      }
    }
    this.#watching = false;
  }
}

function sequenceOf(answer: Uint8Array): number {
  if (answer.length === 0) throw new Error("JetStream does not answer yet");
  const { seq, error } = JSON.parse(new TextDecoder().decode(answer)) as {
    seq?: number;
    error?: { err_code: number; description: string };
  };
  if (error?.err_code === wrongLastSequence) return 0;
  if (error || !seq) throw new Error(error?.description ?? "JetStream's answer says nothing");
  return seq;
}
