/** A failure of the set-up: one sentence, and one on what to do. */
export class SetupError extends Error {
  /**
   * @param {string} message
   * @param {string} hint
   */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
    this.exitCode = 1;
  }
}
