import { randomUUID } from "node:crypto";
import { queueOf, queueSubject } from "../../runtime/cluster/roles.js";
import { type ActorSystem, ActorsError, pause } from "../../runtime/index.js";
import { AckPolicy, type JetStreamClient, type JsMsg } from "../../runtime/transport/nats.js";
import type { Delivery, TrajectoryLog } from "./log.js";

const nanosPerMs = 1e6;
/** What was sent but never acknowledged comes again after this long, or at once when the server was restarted. */
const ackWaitMs = 30_000;
const publishMs = 2_000;
const readAhead = 512;
const retryMs = 50;

type Consumer = Awaited<ReturnType<JetStreamClient["consumers"]["get"]>>;
type Messages = Awaited<ReturnType<Consumer["consume"]>>;

/** The run's subject in the cluster's work queue, on disk: a message stays until the step that used it is committed. */
export class JetStreamLog implements TrajectoryLog {
  readonly #system: ActorSystem;
  readonly #stream: string;
  readonly #subject: string;
  readonly #consumer: string;
  /** What another one published, before a resume, may have been purged since; the server would still hold it for a duplicate. */
  readonly #publisher = randomUUID();
  #ready: Promise<JetStreamClient> | undefined;

  constructor(system: ActorSystem, run: string) {
    const name = run.replace(/[^A-Za-z0-9_-]/g, "-");
    this.#system = system;
    this.#stream = queueOf(system.cluster.id);
    this.#subject = queueSubject(system.cluster.id, name);
    this.#consumer = name;
  }

  async publish(key: string, bytes: Uint8Array, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void> {
    const until = Date.now() + options.timeoutMs;
    for (;;) {
      try {
        const js = this.#system.jetstream();
        await js.publish(this.#subject, bytes, { msgID: `${key} ${this.#publisher}`, timeout: publishMs });
        return;
      } catch (cause) {
        if (options.signal?.aborted) throw new ActorsError("CANCELLED", `publishing ${key} was cancelled`, { cause });
        if (Date.now() >= until) {
          throw new ActorsError(
            "DEADLINE_EXCEEDED",
            `trajectory ${key} could not be stored in ${options.timeoutMs} ms`,
            {
              cause,
              hint: "Is nats-server up, and is there room on its disk?",
            },
          );
        }
        await pause(retryMs, options.signal);
      }
    }
  }

  async *consume(signal: AbortSignal, onTrouble: (text: string) => void): AsyncGenerator<Delivery, void, undefined> {
    let troubled = false;
    let losses = 0;
    let madeUpFor = 0;
    let reading: Messages | undefined;
    // What was sent over a link that broke may never have come: a new consumer gets all that is not acknowledged.
    const unlisten = this.#system.onReconnect(() => {
      losses++;
      reading?.stop();
    });
    const stop = () => reading?.stop();
    signal.addEventListener("abort", stop);
    try {
      while (!signal.aborted) {
        try {
          const known = losses;
          if (known > madeUpFor) await this.#forgetConsumer();
          madeUpFor = known;
          const js = await this.#open();
          reading = await (await js.consumers.get(this.#stream, this.#consumer)).consume({ max_messages: readAhead });
          if (losses > known) reading.stop(); // lost meanwhile
          if (troubled) onTrouble("the trajectory stream is back; what was not acknowledged comes again");
          troubled = false;
          for await (const message of reading) yield delivery(message);
        } catch (error) {
          if (signal.aborted) return;
          this.#ready = undefined;
          if (!troubled) onTrouble(`the trajectory stream is lost (${(error as Error).message}); reading it again`);
          troubled = true;
          await pause(retryMs, signal);
        }
      }
    } finally {
      signal.removeEventListener("abort", stop);
      unlisten();
      reading?.stop();
    }
  }

  async remove(): Promise<void> {
    const manager = await this.#system.jetstream().jetstreamManager(false);
    await manager.streams.purge(this.#stream, { filter: this.#subject }).catch(() => {}); // gone with its server, which is as good
    await this.#forgetConsumer().catch(() => {});
  }

  async #forgetConsumer(): Promise<void> {
    const manager = await this.#system.jetstream().jetstreamManager(false);
    this.#ready = undefined;
    await manager.consumers.delete(this.#stream, this.#consumer).catch((error) => {
      if (error.api_error?.code !== 404) throw error;
    });
  }

  /** Makes the consumer if it is not there, once for each connection that worked. */
  #open(): Promise<JetStreamClient> {
    this.#ready ??= this.#prepare();
    return this.#ready;
  }

  async #prepare(): Promise<JetStreamClient> {
    const js = this.#system.jetstream();
    const manager = await js.jetstreamManager(false);
    await manager.consumers.add(this.#stream, {
      durable_name: this.#consumer,
      filter_subject: this.#subject,
      ack_policy: AckPolicy.Explicit,
      ack_wait: ackWaitMs * nanosPerMs,
      max_deliver: -1,
      max_ack_pending: -1,
    });
    return js;
  }
}

function delivery(message: JsMsg): Delivery {
  return {
    bytes: message.data,
    ack() {
      try {
        message.ack();
      } catch {
        // The connection is closed: it comes again, and is dropped as a duplicate.
      }
    },
  };
}
