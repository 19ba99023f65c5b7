import { canonical } from "./encoding.js";

export function normalize(url, base) {
  return canonical(url.toLowerCase().split("#")[0]);
}
