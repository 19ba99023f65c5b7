/**
 * Every failure of native code. Codes: INVALID_ARGUMENT (the caller's mistake), IO (the system refused: missing file,
 * full disk), CORRUPT_FILE, UNSUPPORTED, ABORTED (a signal, or a peer of a collective), TIMEOUT (a dead or late peer),
 * OUT_OF_MEMORY, NOT_READY (called too early), CLOSED, NOT_BUILT, INTERNAL. The message says what to do.
 */
export class NativeError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(`${message} [${code}]`, options);
    this.name = "NativeError";
    this.code = code;
  }

  /** What the addon threw, as a NativeError; anything else unchanged. */
  static from(error: unknown): unknown {
    if (error instanceof NativeError || !(error instanceof Error)) return error;
    const code = (error as { code?: unknown }).code;
    return typeof code === "string" ? new NativeError(code, error.message, { cause: error }) : error;
  }
}
