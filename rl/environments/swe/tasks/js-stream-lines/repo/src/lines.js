import { decode } from "./decode.js";

/** Lines of UTF-8 text, without their ends. */
export async function* lines(chunks, { maxLength = 1_000_000 } = {}) {
  const source = chunks[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await source.next();
    if (done) return;
    yield* decode(value).split(/\r\n|\r|\n/);
  }
}
