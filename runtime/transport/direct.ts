import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { EndpointId } from "../core/ids.js";
import { framed, type Hello, messageReader, readHello } from "./framing.js";
import { OutLink, patienceMs } from "./out-link.js";
import type { Receive, Transport, Way } from "./transport.js";

const longestPath = 100; // a socket's address has room for some 104 bytes
const headroomBytes = 64 << 10; // a batch is a little larger than the payloads that are counted
const acknowledgement = framed(new Uint8Array());

/**
 * Unix sockets between the endpoints of one host, beside a transport that reaches everyone: the base.
 *
 * A link leads one way, from who opened it. To keep the order, its opener says the same hello on the base and on the
 * link, and holds back what follows until the other side has heard both: then nothing older can be on the way. What
 * comes on the base from the opener of a link says that it gave the link up: what the link still holds is dropped, for
 * its opener sends again what has no answer.
 *
 * Who may connect: the folder has mode 0700, so that no other user can open a socket in it. And no frame is taken from
 * a connection before its hello was also heard on the base, which asks for the cluster's token.
 */
export class DirectTransport implements Transport {
  readonly maxBytes: number;
  readonly #base: Transport;
  readonly #dir: string;
  readonly #id: EndpointId;
  readonly #server: Server;
  readonly #out = new Map<EndpointId, OutLink>();
  readonly #in = new Map<EndpointId, Socket>();
  readonly #accepted = new Set<Socket>();
  /** Hellos heard once: on a socket, or on the base. */
  readonly #half = new Map<string, Socket | undefined>();
  readonly #listeners: ((way: Way) => void)[] = [];
  #receive: Receive = () => {};
  #ready: () => void = () => {};
  #closed = false;

  /**
   * @param dir holds the sockets of all endpoints of this host; for this user alone
   * @returns the base itself where there are no such sockets, or the folder is another host's
   */
  static async open(base: Transport, dir: string, id: EndpointId): Promise<Transport> {
    const path = pathOf(dir, id);
    if (process.platform === "win32" || path.length > longestPath) return base;
    const server = createServer();
    try {
      await Promise.all([once(server, "listening"), server.listen(path)]);
    } catch {
      return base;
    }
    server.unref();
    return new DirectTransport(base, dir, id, server);
  }

  private constructor(base: Transport, dir: string, id: EndpointId, server: Server) {
    this.maxBytes = base.maxBytes;
    this.#base = base;
    this.#dir = dir;
    this.#id = id;
    this.#server = server;
    server.on("connection", (socket) => this.#accept(socket));
    server.on("error", () => {}); // of one connection, for lack of descriptors: its opener stays on the base
    base.onBatch((batch, from) => this.#fromBase(batch, from));
    base.onWay((way) => {
      if (way.open) return this.#tell({ open: true, leadsTo: (peer) => way.leadsTo(peer) && !this.#isDirect(peer) });
      for (const link of this.#out.values()) link.baseLost();
      this.#tell(way);
    });
  }

  reaches(to: EndpointId): boolean {
    return (this.#out.get(to) ?? this.#base).reaches(to);
  }

  send(to: EndpointId, batch: Uint8Array): void {
    this.#linkTo(to).send(batch);
  }

  onBatch(receive: Receive): void {
    this.#receive = receive;
  }

  onWay(changed: (way: Way) => void): void {
    this.#listeners.push(changed);
  }

  onRoom(ready: () => void): void {
    this.#ready = ready;
    this.#base.onRoom(ready);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#server.close(); // removes the socket's file
    const links = [...this.#out.values()];
    for (const link of links) link.takeAll();
    this.#ready();
    await Promise.all(links.map((link) => link.end()));
    for (const socket of this.#accepted) socket.destroy();
    await this.#base.close();
  }

  #linkTo(to: EndpointId): OutLink {
    let link = this.#out.get(to);
    if (link) return link;
    link = new OutLink({
      from: this.#id,
      to,
      path: pathOf(this.#dir, to),
      base: this.#base,
      ready: () => this.#ready(),
      lost: () => this.#lost(to),
    });
    this.#out.set(to, link);
    return link;
  }

  /** Both ways: questions and answers, whoever asks. */
  #isDirect(peer: EndpointId): boolean {
    return this.#out.get(peer)?.isOpen === true && this.#in.has(peer);
  }

  #lost(peer: EndpointId): void {
    this.#tell({ open: true, leadsTo: (each) => each === peer });
  }

  #tell(way: Way): void {
    if (!this.#closed) for (const tell of this.#listeners) tell(way);
  }

  #fromBase(batch: Uint8Array, from: EndpointId): void {
    const hello = readHello(batch);
    if (hello) return hello.from === from ? this.#meet(hello, undefined) : undefined;
    this.#drop(from);
    this.#receive(batch, from);
  }

  #accept(socket: Socket): void {
    let from: EndpointId | undefined;
    const late = setTimeout(() => from === undefined && socket.destroy(), patienceMs);
    late.unref();
    socket.unref();
    this.#accepted.add(socket);
    const read = messageReader(
      this.maxBytes + headroomBytes,
      (message) => {
        if (from !== undefined && this.#in.get(from) === socket) return this.#receive(message, from);
        const hello = from === undefined ? readHello(message) : undefined;
        if (!hello) return void socket.destroy(); // given up meanwhile, or no one of ours
        from = hello.from;
        this.#meet(hello, socket);
      },
      () => socket.destroy(),
    );
    socket.on("data", read);
    socket.on("error", () => {}); // "close" follows
    socket.once("close", () => {
      clearTimeout(late);
      this.#accepted.delete(socket);
      if (from !== undefined && this.#in.get(from) === socket) this.#drop(from);
    });
  }

  /** One of a link's two hellos has come: with the second the link is open. */
  #meet({ from, link }: Hello, socket: Socket | undefined): void {
    const key = `${from} ${link}`;
    const half = this.#half.get(key);
    if (!this.#half.has(key)) {
      this.#half.set(key, socket);
      setTimeout(() => this.#half.delete(key), patienceMs).unref();
      return;
    }
    if ((half === undefined) === (socket === undefined)) return; // the same one again: the base has not vouched for it
    const opened = socket ?? half;
    this.#half.delete(key);
    if (!opened || opened.destroyed) return;
    this.#drop(from);
    this.#in.set(from, opened);
    opened.write(acknowledgement);
  }

  /** Forgets the peer's link to here, and what it still holds. */
  #drop(peer: EndpointId): void {
    const socket = this.#in.get(peer);
    if (!socket) return;
    this.#in.delete(peer);
    socket.destroy();
    this.#lost(peer);
  }
}

const pathOf = (dir: string, id: EndpointId) => join(dir, `${id}.sock`);
