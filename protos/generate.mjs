// Regenerates protos/gen from the .proto files. CI runs it and fails on a diff.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const gen = join(here, "gen");
const bin = (name) => join(here, "..", "node_modules", "protobufjs-cli", "bin", name);
const protos = readdirSync(here)
  .filter((f) => f.endsWith(".proto"))
  .sort();
const run = (tool, args) => execFileSync(process.execPath, [bin(tool), ...args], { cwd: here, stdio: "inherit" });

mkdirSync(gen, { recursive: true });
run("pbjs", [
  "-t",
  "static-module",
  "-w",
  "es6",
  "--no-delimited",
  "--no-service",
  "--no-verify",
  "--no-convert",
  "-p",
  here,
  "-o",
  join(gen, "actors.js"),
  ...protos,
]);
run("pbts", ["-o", join(gen, "actors.d.ts"), join(gen, "actors.js")]);

// The generated import lacks the extension that ES modules need.
const js = join(gen, "actors.js");
writeFileSync(js, readFileSync(js, "utf8").replace(/from "protobufjs\/minimal"/, 'from "protobufjs/minimal.js"'));
