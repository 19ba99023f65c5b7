import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { findNatsServer } from "../cluster/nats-binary.js";
import { until } from "../cluster/testing.js";
import type { ActorDef } from "../core/definition.js";
import type { ActorContext } from "../hosting/instance.js";
import { runtimeRoot } from "./names.js";

/** Gone after the test. */
export function temporary(t: Pick<TestContext, "after">): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bundle-test-")));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }));
  return dir;
}

/** Gives this process, and the nodes that it starts from now on, a cache of their own. */
export function ownCache(t: Pick<TestContext, "after">): string {
  process.env["ACTORS_NATS_SERVER"] ??= findNatsServer(); // it may be in the cache of before
  const before = process.env["XDG_CACHE_HOME"];
  const dir = temporary(t);
  process.env["XDG_CACHE_HOME"] = dir;
  t.after(() => {
    if (before === undefined) delete process.env["XDG_CACHE_HOME"];
    else process.env["XDG_CACHE_HOME"] = before;
  });
  return join(dir, "actors", "bundles");
}

/** The install script that writes its pid into the folder it runs in, once there is one in another folder than `not`. */
export async function runningScript(cache: string, hash: string, not = ""): Promise<{ pid: number; dir: string }> {
  let found: { pid: number; dir: string } | undefined;
  await until("an install script that runs", () => {
    const names = existsSync(cache) ? readdirSync(cache) : [];
    const dirs = names.filter((name) => name.startsWith(`${hash}.tmp-`)).map((name) => join(cache, name));
    const dir = dirs.find((each) => each !== not && existsSync(join(each, "pid")));
    if (dir) found = { pid: Number(readFileSync(join(dir, "pid"), "utf8")), dir };
    return (found?.pid ?? 0) > 0;
  });
  return found!;
}

export function write(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** What the `greeter` of a job has to say. */
export interface Greeter {
  /** Version of its dependency, and where its code lies. */
  hello(): { greeting: string; code: string; node: string; epoch: number };
  /** The same from a child of its own definition. */
  childHello(): Promise<{ greeting: string }>;
  crash(): void;
}

export interface TestJob {
  dir: string;
  /** Text of its module. */
  program(code: string): string;
  /** As a program of the job has it. */
  greeter(): Promise<ActorDef<Greeter & { onStart(context: ActorContext): void }, []>>;
}

const program = (code: string) => `import { defineActor } from "actors";
import { greeting } from "greeting";
const code = ${JSON.stringify(code)};
class Greeter {
  onStart(context) { this.context = context; }
  hello() {
    const { node, epoch } = this.context;
    return { greeting, code, node, epoch, url: import.meta.url };
  }
  async childHello() {
    const child = await this.context.system.spawn(greeter, { hosting: "inline" });
    return child.hello();
  }
  crash() { setImmediate(() => process.exit(7)); }
}
export const greeter = defineActor({ name: "test.greeter", module: import.meta.url, class: Greeter });
`;

/** A package as its author has it: dependencies installed, the runtime a link to the author's checkout, both in the lock file. */
export function makeJob(
  t: Pick<TestContext, "after">,
  {
    version,
    code = "first",
    ...own
  }: { version: string; code?: string; manifest?: object; files?: Record<string, string>; within?: string },
): TestJob {
  const dir = own.within ? join(own.within, `job-${version}`) : temporary(t);
  const tarball = `vendor/greeting-${version}.tgz`;
  const greeting = join(dir, "vendor/package");
  write(greeting, {
    "package.json": JSON.stringify({ name: "greeting", version, type: "module", exports: "./index.js" }),
    "index.js": `export const greeting = "greeting ${version}";\n`,
  });
  execFileSync("tar", ["-czf", join(dir, tarball), "-C", join(dir, "vendor"), "package"]);
  mkdirSync(join(dir, "node_modules"));
  cpSync(greeting, join(dir, "node_modules/greeting"), { recursive: true });
  rmSync(greeting, { recursive: true });
  symlinkSync(runtimeRoot, join(dir, "node_modules/actors"));
  const dependencies = { actors: "file:../only/the/author/has/it", greeting: `file:${tarball}` };
  const manifest = { name: `job-${version}`, version: "1.0.0", type: "module", dependencies, ...own.manifest };
  const integrity = `sha512-${createHash("sha512")
    .update(readFileSync(join(dir, tarball)))
    .digest("base64")}`;
  const packages = {
    "": { name: manifest.name, version: "1.0.0", dependencies },
    "../only/the/author/has/it": { name: "actors", version: "0.1.0", dependencies: { nats: "2.29.3" } },
    "node_modules/actors": { resolved: "../only/the/author/has/it", link: true },
    "node_modules/greeting": { version, resolved: `file:${tarball}`, integrity },
  };
  write(dir, {
    "package.json": JSON.stringify(manifest),
    "package-lock.json": JSON.stringify({ name: manifest.name, version: "1.0.0", lockfileVersion: 3, packages }),
    "greeter.js": program(code),
    ...own.files,
  });
  return {
    dir,
    program,
    greeter: async () => (await import(pathToFileURL(join(dir, "greeter.js")).href)).greeter,
  };
}
