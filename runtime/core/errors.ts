import type { actors } from "#protos";
import { decodeValue, encodeValue } from "./codec.js";

/** Every code an {@link ActorsError} can carry, and whether trying again later can help. */
export const codes = {
  ACTOR_DIED: { retryable: true }, // its process or node died with the call in flight
  ACTOR_STOPPED: { retryable: false }, // it was stopped, or gave up restarting
  CANCELLED: { retryable: false },
  DEADLINE_EXCEEDED: { retryable: true },
  INFEASIBLE: { retryable: false }, // no node can ever meet the request
  INTERNAL: { retryable: false },
  INVALID_ARGUMENT: { retryable: false },
  NAME_TAKEN: { retryable: false },
  NOT_FOUND: { retryable: false },
  NOT_HERE: { retryable: true }, // the endpoint does not host this incarnation; callers look it up again
  OBJECT_LOST: { retryable: false }, // the process that owned it has ended
  OUTCOME_UNKNOWN: { retryable: false }, // it may or may not have run
  OVERLOADED: { retryable: true },
  PERMISSION_DENIED: { retryable: false }, // this caller may not call that
  RESOURCE_EXHAUSTED: { retryable: true }, // no memory or disk is left within the budget
  START_FAILED: { retryable: false }, // the constructor or onStart threw
  UNAVAILABLE: { retryable: true },
  USER_ERROR: { retryable: false }, // a handler threw
} as const;

export type Code = keyof typeof codes;

export interface ErrorOptions {
  /** What to do next, one sentence. */
  hint?: string | undefined;
  cause?: unknown;
  retryable?: boolean | undefined;
  /** Plain data: exitCode, signal, stderrTail, missing, … */
  details?: Record<string, unknown> | undefined;
}

/** The one error class of the runtime. Its message begins with its code. */
export class ActorsError extends Error {
  override readonly name = "ActorsError";
  readonly code: Code;
  readonly hint: string | undefined;
  readonly retryable: boolean;
  readonly details: Record<string, unknown>;
  /** The message without the code. */
  readonly rawMessage: string;

  constructor(code: Code, message: string, options: ErrorOptions = {}) {
    super(`[${code}] ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.rawMessage = message;
    this.hint = options.hint;
    this.retryable = options.retryable ?? codes[code].retryable;
    this.details = options.details ?? {};
  }

  /** Any caught value as an ActorsError; what is none already becomes `code` with the value as its cause. */
  static from(caught: unknown, code: Code = "USER_ERROR"): ActorsError {
    if (caught instanceof ActorsError) return caught;
    if (!(caught instanceof Error)) return new ActorsError(code, String(caught));
    const details: Record<string, unknown> = { name: caught.name };
    const thrownCode = (caught as { code?: unknown }).code;
    if (typeof thrownCode === "string") details["code"] = thrownCode;
    const retryable = (caught as { retryable?: unknown }).retryable;
    return new ActorsError(code, caught.message, {
      cause: caught,
      details,
      ...(typeof retryable === "boolean" && { retryable }),
    });
  }
}

export function isActorsError(value: unknown, code?: Code): value is ActorsError {
  return value instanceof ActorsError && (code === undefined || value.code === code);
}

const maxCauses = 8;

/** The wire form. The chain of causes is cut at eight. */
export function toFailure(caught: unknown, depth = 0): actors.v1.Failure.$Properties {
  const error = ActorsError.from(caught);
  const failure: actors.v1.Failure.$Properties = {
    code: error.code,
    message: error.rawMessage,
    hint: error.hint ?? "",
    retryable: error.retryable,
    stack: (error.cause instanceof Error ? error.cause.stack : error.stack) ?? "",
    details: Object.keys(error.details).length > 0 ? encodeValue(error.details) : new Uint8Array(),
  };
  // The first cause of a USER_ERROR is the thrown value, already told by message, stack and details.
  const cause = error.code === "USER_ERROR" && error !== caught ? (caught as Error)?.cause : error.cause;
  if (cause !== undefined && cause !== null && depth < maxCauses) failure.cause = toFailure(cause, depth + 1);
  return failure;
}

export function fromFailure(failure: actors.v1.Failure.$Properties): ActorsError {
  const code = (failure.code ?? "") in codes ? (failure.code as Code) : "INTERNAL";
  const details = failure.details?.length ? (decodeValue(failure.details) as Record<string, unknown>) : {};
  const error = new ActorsError(code, failure.message ?? "", {
    hint: failure.hint || undefined,
    retryable: failure.retryable ?? false,
    details,
    cause: failure.cause ? fromFailure(failure.cause) : undefined,
  });
  if (failure.stack) error.stack = `${error.stack ?? ""}\n    -- thrown remotely --\n${failure.stack}`;
  return error;
}
