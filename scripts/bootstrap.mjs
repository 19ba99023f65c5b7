// What ./actors runs: prepares what is missing, then becomes the program. Parses on any Node that knows ES modules, so
// that an old one is told what is wrong; hence no static imports.
const major = Number(process.versions.node.split(".")[0]);
if (major < 20) {
  console.error(
    `actors: this is Node ${process.versions.node}, and 20 or newer is needed. Get it from https://nodejs.org/en/download`,
  );
  process.exit(1);
}
const { bootstrap } = await import("./setup/bootstrap.mjs");
await bootstrap(process.argv.slice(2));
