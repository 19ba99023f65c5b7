import type { z } from "zod";
import { ActorsError } from "../../../runtime/index.js";
import type { JsonServer } from "./http.js";

/** What a server said, if it is what it should be. @throws ActorsError UNAVAILABLE, not retryable, naming the field that is not */
export function answer<S extends z.ZodType>({ url }: JsonServer, path: string, schema: S, said: unknown): z.output<S> {
  const parsed = schema.safeParse(said);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue!.path.join(".") || "the answer";
  throw new ActorsError("UNAVAILABLE", `${url}${path}: ${at}: ${issue!.message}`, { retryable: false });
}
