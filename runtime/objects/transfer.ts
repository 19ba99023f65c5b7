// Objects between hosts: chunks over TCP, several connections at once, each chunk with its checksum. Both sides prove
// that they know the cluster's token, which itself never travels.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import zlib from "node:zlib";
import { ActorsError, isActorsError } from "../core/errors.js";
import { pause } from "../core/wait.js";
import { Incoming } from "./incoming.js";

/** Where a process gives out its objects. */
export interface Address {
  host: string;
  port: number;
  /** Whether it speaks TLS; whoever says the address says so too, so it is no less to be trusted. */
  encrypts?: boolean;
}

const nonceBytes = 32;
const proofBytes = 32;
const idBytes = 24;
const requestBytes = idBytes + 16; // id, offset as float64, length as uint32, four bytes to spare
const answerBytes = 8; // status, checksum
const [found, missing] = [0, 1];
const chunkBytes = 4 << 20;
const connections = 4;
const tries = 5; // of one chunk
const againMs = 25;
const quietMs = 10_000; // silence of the other side after which a connection counts as lost

const proof = (token: string, side: "client" | "server", nonces: Uint8Array) =>
  createHmac("sha256", token).update(side).update(nonces).digest();

/** Keys come from the token, which both sides have, and are new for each connection: no certificates. */
const pskOf = (token: string) => createHmac("sha256", token).update("objects over TLS").digest();
const tlsOptions = { ciphers: "ECDHE-PSK-CHACHA20-POLY1305", maxVersion: "TLSv1.2" } as const; // Node has no PSK in 1.3
const pskIdentity = "actors";

/** Gives out objects to who knows the token. */
export class TransferServer {
  readonly #token: string;
  readonly #read: (id: string) => Uint8Array | undefined;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #address: Promise<Address>;
  /** Bytes of content. */
  given = 0;

  /** @param read the content of an object, which stays as it is for as long as anyone refers to it */
  constructor(token: string, host: string, read: (id: string) => Uint8Array | undefined, encrypts = false) {
    this.#token = token;
    this.#read = read;
    const serve = (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
      this.#serve(socket).catch(() => socket.destroy()); // whoever asked sees it, and tries again
    };
    this.#server = encrypts
      ? createTlsServer({ ...tlsOptions, pskCallback: () => pskOf(token) }, serve)
      : createServer(serve);
    this.#server.unref();
    this.#address = new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, host, () =>
        resolve({ host, port: (this.#server.address() as AddressInfo).port, encrypts }),
      );
    });
    this.#address.catch(() => {}); // told to who asks for it
  }

  get address(): Promise<Address> {
    return this.#address;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #serve(socket: Socket): Promise<void> {
    socket.setNoDelay(true).unref();
    const incoming = new Incoming(socket, quietMs);
    const nonce = randomBytes(nonceBytes);
    socket.write(nonce);
    const hello = await incoming.take(nonceBytes + proofBytes);
    const nonces = Buffer.concat([nonce, hello.subarray(0, nonceBytes)]);
    if (!timingSafeEqual(hello.subarray(nonceBytes), proof(this.#token, "client", nonces)))
      return void socket.destroy();
    socket.write(proof(this.#token, "server", nonces));
    let last: { id: string; content: Uint8Array } | undefined;
    for (;;) {
      const request = await incoming.take(requestBytes);
      const id = request.toString("latin1", 0, idBytes).replace(/\0+$/, "");
      const [offset, length] = [request.readDoubleLE(idBytes), request.readUInt32LE(idBytes + 8)];
      if (last?.id !== id) {
        const content = this.#read(id);
        last = content && { id, content };
      }
      const answer = Buffer.alloc(answerBytes);
      const chunk = last?.content.subarray(offset, offset + length);
      if (chunk?.length !== length) {
        answer.writeUInt32LE(missing);
        socket.write(answer);
        continue;
      }
      answer.writeUInt32LE(found);
      answer.writeUInt32LE(zlib.crc32(chunk), 4);
      socket.write(answer);
      await incoming.sent(chunk);
      this.given += length;
    }
  }
}

/** The offsets of what has to be pulled to fill `into`. */
export const chunksOf = (into: Uint8Array) =>
  Array.from({ length: Math.ceil(into.length / chunkBytes) }, (_, i) => i * chunkBytes);

/**
 * Fills `into` with the content of an object.
 * @param left offsets of the chunks that are missing; after a failure what is still missing, to be had from another
 * @throws ActorsError NOT_FOUND, UNAVAILABLE once a chunk has failed five times
 */
export async function pull(
  from: Address,
  token: string,
  id: string,
  into: Uint8Array,
  left = chunksOf(into),
): Promise<void> {
  const failures = new Map<number, number>();
  let over = false;
  const lanes = Array.from({ length: Math.min(connections, left.length) }, async () => {
    let link: Link | undefined;
    for (let offset = left.shift(); offset !== undefined; offset = over ? undefined : left.shift()) {
      try {
        link ??= await Link.open(from, token);
        await link.get(id, offset, into.subarray(offset, offset + chunkBytes));
      } catch (cause) {
        link?.close();
        link = undefined;
        left.push(offset);
        const failed = (failures.get(offset) ?? 0) + 1;
        failures.set(offset, failed);
        if (isActorsError(cause, "NOT_FOUND") || failed >= tries) {
          over = true;
          throw isActorsError(cause, "NOT_FOUND") ? cause : unreachable(from, id, cause);
        }
        await pause(againMs * 2 ** failed);
      }
    }
    link?.close();
  });
  const ended = await Promise.allSettled(lanes); // none may write into it any more
  const failed = ended.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}

const unreachable = ({ host, port }: Address, id: string, cause: unknown) =>
  new ActorsError("UNAVAILABLE", `object ${id} cannot be had from ${host}:${port}: ${(cause as Error).message}`, {
    cause,
  });

/** One connection that has proved itself. */
class Link {
  readonly #socket: Socket;
  readonly #incoming: Incoming;

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true);
    this.#incoming = new Incoming(socket, quietMs);
  }

  static async open(to: Address, token: string): Promise<Link> {
    const link = new Link(to.encrypts ? encrypted(to, token) : createConnection({ host: to.host, port: to.port }));
    try {
      const theirs = await link.#incoming.take(nonceBytes);
      const nonces = Buffer.concat([theirs, randomBytes(nonceBytes)]);
      link.#socket.write(Buffer.concat([nonces.subarray(nonceBytes), proof(token, "client", nonces)]));
      const proved = await link.#incoming.take(proofBytes);
      if (!timingSafeEqual(proved, proof(token, "server", nonces))) throw new Error("it does not know the token");
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  async get(id: string, offset: number, into: Uint8Array): Promise<void> {
    const request = Buffer.alloc(requestBytes);
    request.write(id, "latin1");
    request.writeDoubleLE(offset, idBytes);
    request.writeUInt32LE(into.length, idBytes + 8);
    this.#socket.write(request);
    const answer = await this.#incoming.take(answerBytes);
    if (answer.readUInt32LE() === missing) throw new ActorsError("NOT_FOUND", `there is no object ${id}: it was freed`);
    await this.#incoming.fill(into);
    if (zlib.crc32(into) !== answer.readUInt32LE(4)) throw new Error(`the chunk at ${offset} came damaged`);
  }

  close(): void {
    this.#socket.destroy();
  }
}

function encrypted({ host, port }: Address, token: string): TLSSocket {
  const pskCallback = () => ({ psk: pskOf(token), identity: pskIdentity });
  return connectTls({ host, port, ...tlsOptions, pskCallback, checkServerIdentity: () => undefined });
}
