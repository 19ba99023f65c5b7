import type { AutoscaleHook } from "../cluster/autoscale-hook.js";
import { type Document, isSection } from "./config.js";
import type { UpOptions } from "./plan.js";
import { UsageError } from "./usage.js";

/** `cluster.autoscale: { command, url }`, or the flags. @throws UsageError */
export function readAutoscale(document: Document, options: UpOptions): AutoscaleHook | undefined {
  const section = ((document["cluster"] ?? {}) as Document)["autoscale"] ?? {}; // a section, by `settleNodes`
  if (!isSection(section)) throw new UsageError("cluster.autoscale must be a section, such as { command: ./scale }");
  const unknown = Object.keys(section).find((key) => key !== "command" && key !== "url");
  if (unknown) throw new UsageError(`unknown key cluster.autoscale.${unknown}`, { hint: "It takes command and url." });
  const command = options.autoscaleCommand ?? section["command"];
  const url = options.autoscaleUrl ?? section["url"];
  if (command !== undefined && (typeof command !== "string" || !command))
    throw new UsageError("cluster.autoscale.command must be a shell command");
  if (url !== undefined && !(typeof url === "string" && /^https?:/.test(url) && URL.canParse(url)))
    throw new UsageError(`cluster.autoscale.url must be an http URL, not ${JSON.stringify(url)}`);
  if (command === undefined && url === undefined) return undefined;
  return { ...(command !== undefined && { command }), ...(url !== undefined && { url }) };
}
