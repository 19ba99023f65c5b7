// Builds native/build/actors_native.node: `node native/build.mjs [--tests] [--cuda] [--force]`.
// Does nothing when a hash of the sources and the toolchain is unchanged. Needs a C++20 compiler and CMake only;
// --cuda also builds native/build/libactors_cuda.so, now and whenever it is there already, and needs nvcc.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, "build");
const product = path.join(out, "actors_native.node");
const stampFile = path.join(out, "stamp");
const tests = process.argv.includes("--tests");
const cudaProduct = path.join(out, "libactors_cuda.so");
const wantsCuda = process.argv.includes("--cuda");

const advice =
  process.platform === "darwin"
    ? "run `xcode-select --install` and `brew install cmake`"
    : "on Debian or Ubuntu run `apt-get install g++ cmake make`";

class BuildError extends Error {}

function onPath(name) {
  for (const dir of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(dir, name);
    if (dir !== "" && fs.existsSync(file)) return fs.realpathSync(file);
  }
  return null;
}

function findTools() {
  const compiler = [process.env.CXX, "c++", "g++", "clang++"]
    .filter(Boolean)
    .map(onPath)
    .find((found) => found !== null);
  const cmake = onPath("cmake");
  const make = onPath("ninja") ?? onPath("make");
  const missing = [];
  if (compiler === undefined) missing.push("a C++20 compiler (g++ 11 or clang++ 14 and later)");
  if (cmake === null) missing.push("CMake 3.20 or later");
  if (make === null) missing.push("make or ninja");
  if (missing.length > 0) throw new BuildError(`building native code needs ${missing.join(" and ")}: ${advice}`);
  return { compiler, cmake, nvcc: wantsCuda || fs.existsSync(cudaProduct) ? findNvcc() : undefined };
}

/** ACTORS_NVCC, the one on PATH, that of /usr/local/cuda, or that of pip's packages in the active environment. */
function findNvcc() {
  const site = path.join(process.env.VIRTUAL_ENV ?? "", "lib");
  const pythons = process.env.VIRTUAL_ENV && fs.existsSync(site) ? fs.readdirSync(site) : [];
  const found = [
    process.env.ACTORS_NVCC,
    onPath("nvcc"),
    "/usr/local/cuda/bin/nvcc",
    ...pythons.map((python) => path.join(site, python, "site-packages", "nvidia", "cu13", "bin", "nvcc")),
  ].find((file) => file && fs.existsSync(file));
  if (found === undefined && wantsCuda)
    throw new BuildError(
      "--cuda needs nvcc: install the CUDA toolkit, or `pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt " +
        "nvidia-cuda-runtime nvidia-cuda-cccl` in an active environment, or name it in ACTORS_NVCC",
    );
  return found;
}

/** Content of the sources and identity of the tools; cheap enough to run on every start. */
function fingerprint(tools) {
  const hash = createHash("sha256");
  const visit = (dir) => {
    for (const entry of fs.readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = path.join(dir, entry.name);
      if (entry.isDirectory()) {
        if (file !== out && entry.name !== "goldens" && entry.name !== "node_modules") visit(file);
      } else if (/\.(h|inl|c|cc|cpp|cu|mjs)$|^CMakeLists\.txt$/.test(entry.name)) {
        hash.update(path.relative(here, file)).update("\0").update(fs.readFileSync(file)).update("\0");
      }
    }
  };
  visit(here);
  for (const tool of [tools.compiler, tools.cmake, tools.nvcc].filter(Boolean)) {
    const { size, mtimeMs } = fs.statSync(tool);
    hash.update(`${tool} ${size} ${mtimeMs}\0`);
  }
  const headers = path.join(here, "..", "node_modules", "node-addon-api", "package.json");
  if (!fs.existsSync(headers)) throw new BuildError("building native code needs the npm packages: run `npm ci` first");
  hash.update(fs.readFileSync(headers)).update(`${process.arch} ${process.platform} ${process.env.CXXFLAGS ?? ""}`);
  return hash.digest("hex");
}

function run(command, args, what) {
  const result = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 << 20, stdio: ["ignore", "pipe", "pipe"] });
  if (result.status === 0) return;
  const text = `${result.stdout ?? ""}${result.stderr ?? ""}`;
  const old = /C\+\+20|std=c\+\+20|cxx_std_20/.test(text) && what === "configure";
  const log = path.join(out, "build.log");
  fs.writeFileSync(log, text);
  const first =
    text
      .split("\n")
      .find((line) => /error:|CMake Error/i.test(line))
      ?.trim() ?? `${command} ended with ${result.status ?? result.signal}`;
  throw new BuildError(
    old
      ? `the C++ compiler is too old for C++20 (g++ 11 or clang++ 14 is needed): ${advice}`
      : `native code did not ${what}: ${first} (whole output in ${log})`,
  );
}

/** Holds build/lock while `body` runs, so that two starts at once do not build over each other. */
function exclusively(body) {
  const lock = path.join(out, "lock");
  const deadline = Date.now() + 15 * 60_000;
  for (;;) {
    try {
      fs.writeFileSync(lock, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
      if (!holderAlive(lock)) fs.rmSync(lock, { force: true });
      else if (Date.now() > deadline)
        throw new BuildError(`another build has held ${lock} for 15 minutes; stop it and run again`);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  const release = () => fs.rmSync(lock, { force: true });
  process.on("exit", release);
  try {
    return body();
  } finally {
    release();
  }
}

function holderAlive(lock) {
  try {
    process.kill(Number(fs.readFileSync(lock, "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Processes that have the old file loaded keep it: the new one takes its name, not its place. */
function install(built, place) {
  const fresh = `${place}.${process.pid}`;
  fs.copyFileSync(built, fresh);
  fs.renameSync(fresh, place);
}

function upToDate(stamp) {
  if (process.argv.includes("--force") || !fs.existsSync(product) || !fs.existsSync(stampFile)) return false;
  if (wantsCuda && !fs.existsSync(cudaProduct)) return false;
  const [built, withTests] = fs.readFileSync(stampFile, "utf8").split(" ");
  return built === stamp && (!tests || withTests === "tests");
}

function build(tools, stamp) {
  const started = Date.now();
  const work = path.join(out, "cmake");
  const cache = path.join(work, "CMakeCache.txt");
  // A build folder moved from elsewhere or made by another compiler cannot be reused.
  if (fs.existsSync(cache)) {
    const text = fs.readFileSync(cache, "utf8");
    if (
      !text.includes(`CMAKE_HOME_DIRECTORY:INTERNAL=${here}\n`) ||
      /^CMAKE_CXX_COMPILER:\w+=(.*)$/m.exec(text)?.[1] !== tools.compiler
    ) {
      fs.rmSync(work, { recursive: true, force: true });
    }
  }
  const generator = onPath("ninja") ? ["-G", "Ninja"] : [];
  run(
    tools.cmake,
    [
      "-S",
      here,
      "-B",
      work,
      ...generator,
      `-DCMAKE_CXX_COMPILER=${tools.compiler}`,
      "-DCMAKE_BUILD_TYPE=Release",
      `-DACTORS_TESTS=${tests ? "ON" : "OFF"}`,
      `-DWARNINGS_AS_ERRORS=${tests ? "ON" : "OFF"}`,
      `-DACTORS_CUDA=${tools.nvcc ? "ON" : "OFF"}`,
      ...(tools.nvcc ? [`-DACTORS_NVCC=${tools.nvcc}`] : []),
    ],
    "configure",
  );
  run(tools.cmake, ["--build", work, "-j", String(Math.min(2, os.cpus().length))], "compile");
  install(path.join(work, "actors_native.node"), product);
  if (tools.nvcc) install(path.join(work, "libactors_cuda.so"), cudaProduct);
  fs.writeFileSync(stampFile, `${stamp} ${tests ? "tests" : "-"}`);
  console.log(`native code built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

try {
  const tools = findTools();
  const stamp = fingerprint(tools);
  if (!upToDate(stamp)) {
    fs.mkdirSync(out, { recursive: true });
    exclusively(() => {
      if (!upToDate(stamp)) build(tools, stamp);
    });
  }
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
