import type { NatsConnection } from "../transport/nats.js";

const askMs = 2_000;
const notFound = 10037;

/** What a KV bucket's watch tells of. */
export interface KvEntry {
  key: string;
  value: Uint8Array;
  revision: number;
  operation: string;
}

interface Stored {
  message?: { subject: string; seq: number; hdrs?: string; data?: string };
  error?: { err_code: number; description: string };
}

/**
 * The entries of a bucket between two revisions, both excluded, that have not been overwritten since. Asked of the
 * stream's leader, for another server may not have them yet.
 * @throws Error when the server does not answer or refuses
 */
export async function entriesBetween(
  nc: NatsConnection,
  bucket: string,
  after: number,
  before: number,
): Promise<KvEntry[]> {
  const prefix = `$KV.${bucket}.`;
  const entries: KvEntry[] = [];
  for (let seq = after + 1; seq < before; ) {
    const asked = JSON.stringify({ seq, next_by_subj: `${prefix}>` });
    const { message, error } = (
      await nc.request(`$JS.API.STREAM.MSG.GET.KV_${bucket}`, asked, { timeout: askMs })
    ).json<Stored>();
    if (error && error.err_code !== notFound) throw new Error(error.description);
    if (!message || message.seq >= before) break;
    const headers = Buffer.from(message.hdrs ?? "", "base64").toString();
    entries.push({
      key: message.subject.slice(prefix.length),
      value: Buffer.from(message.data ?? "", "base64"),
      revision: message.seq,
      operation: /^KV-Operation: *(\S+)/m.exec(headers)?.[1] ?? "PUT",
    });
    seq = message.seq + 1;
  }
  return entries;
}
