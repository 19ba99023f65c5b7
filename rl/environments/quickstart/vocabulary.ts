import { unknownWord, wordTokenizer } from "../words.js";

/** Names of configuration files. */
export const names =
  "api app auth base batch cache core data edge feed gate grid host jobs link mail main mesh node pool queue relay store web".split(
    " ",
  );
export const settings = ["port", "limit", "retries", "timeout", "workers"];
export const values = Array.from({ length: 16 }, (_, i) => String(i + 1));

const grammar = ["\n", "$", "read", "check", "edit", "submit", "include", "#include", "fix", "to", "from"];
const replies = ["error", "none", "done", "ok", "fail"];

/** What the tools print and accept has no other words. */
export const tokenizer = wordTokenizer([unknownWord, ...grammar, ...replies, ...names, ...settings, ...values]);
