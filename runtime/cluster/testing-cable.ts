// A node in a network of its own, for tests that cut it off as a pulled cable or a broken switch does.
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readlinkSync } from "node:fs";
import type { TestContext } from "node:test";
import { until } from "./testing.js";

/** Put before a program: it runs in a network of its own, to which nothing leads yet. */
export const apart = ["unshare", "--net", "--"];

const nobody = "02:00:00:00:00:01"; // a hardware address that no card has: what is sent there is lost
let cables = 0;

const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });

/** What is missing here for networks of a test's own; false when nothing is. */
export function whyNoCables(): string | false {
  if (process.platform !== "linux") return "network namespaces need Linux";
  const trial = `va-try${process.pid}`;
  try {
    execFileSync("unshare", ["--net", "--", "nsenter", "--version"], { stdio: "pipe" });
    ip("link", "add", trial, "type", "veth", "peer", "name", `${trial}p`);
    ip("link", "del", trial);
    return false;
  } catch (error) {
    const { code, message, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
    const why = code === "ENOENT" ? message : `${message.split("\n")[0]}: ${stderr?.toString().trim()}`;
    return `needs root, and unshare, nsenter and ip with network namespaces and veth (${why})`;
  }
}

/** A cable from this network to a process's. The kernel removes it with that network. */
export class Cable {
  /** Of this end: where the process can reach what listens here. */
  readonly host: string;
  readonly #far: string;
  readonly #name: string;
  readonly #network: string;

  private constructor(fd: number) {
    const k = cables++;
    const { pid } = process;
    const net = `10.${128 + ((pid >> 8) & 127)}.${pid & 255}`;
    this.host = `${net}.${4 * k + 1}`;
    this.#far = `${net}.${4 * k + 2}`;
    this.#name = `va${pid}-${k}`;
    this.#network = `--net=/proc/${pid}/fd/${fd}`;
  }

  /** Kept after the process's end, as a machine's network is: what it had sent may still arrive. */
  static async to(t: Pick<TestContext, "after">, pid: number): Promise<Cable> {
    const network = `/proc/${pid}/ns/net`;
    await until("it has a network of its own", () => readlinkSync(network) !== readlinkSync("/proc/self/ns/net"));
    const fd = openSync(network, "r");
    const cable = new Cable(fd);
    const name = cable.#name;
    ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", String(pid));
    t.after(() => {
      ip("link", "del", name);
      closeSync(fd);
    });
    ip("addr", "add", `${cable.host}/30`, "dev", name);
    ip("link", "set", name, "up");
    cable.#there("link", "set", "lo", "up");
    cable.#there("addr", "add", `${cable.#far}/30`, "dev", "eth0");
    cable.#there("link", "set", "eth0", "up");
    return cable;
  }

  cut(way: "both" | "answers" | "requests"): void {
    if (way === "both") ip("link", "set", this.#name, "down");
    if (way === "answers") ip("neigh", "replace", this.#far, "lladdr", nobody, "dev", this.#name, "nud", "permanent");
    if (way === "requests")
      this.#there("neigh", "replace", this.host, "lladdr", nobody, "dev", "eth0", "nud", "permanent");
  }

  /** After a cut of both ways. */
  mend(): void {
    ip("link", "set", this.#name, "up");
  }

  #there(...args: string[]): void {
    execFileSync("nsenter", [this.#network, "--", "ip", ...args], { stdio: "pipe" });
  }
}
