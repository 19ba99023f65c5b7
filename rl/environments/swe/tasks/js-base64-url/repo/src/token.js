import { createHmac } from "node:crypto";
import { decode, encode } from "./base64.js";

const signature = (body, key) => createHmac("sha256", key).update(body).digest("base64");

export function sign(payload, key) {
  const body = encode(JSON.stringify(payload));
  return `${body}.${signature(body, key)}`;
}

export function verify(token, key) {
  const [body, given] = token.split(".");
  if (!signature(body, key).startsWith(given)) return null;
  return JSON.parse(decode(body));
}
