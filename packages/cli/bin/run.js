"use strict";
const { existsSync } = require("node:fs");
const { homedir } = require("node:os");
const path = require("node:path");
const { compileCacheFolder } = require("./compile-cache.js");
const { keptCode } = require("./kept-code.js");
const { leaveSoon } = require("./leave.js");

/** A command that lasts keeps its code after this time: its parent may kill it. */
const LASTING_MS = 3000;

const args = process.argv.slice(2);
// Node 24 reads all certificates in a thread of their own from now on, which takes as long as everything until the first connection.
if (args.some((word) => word.startsWith("https://"))) process.getBuiltinModule("node:tls");
// One file instead of a hundred, with this one beside it; a clone that was compiled by tsc alone has only the hundred.
const bundle = path.join(__dirname, "authz.cjs");
if (existsSync(bundle)) void runBundle();
else void import("../dist/index.js").then(run);

async function runBundle() {
  const { env, platform } = process;
  const isWanted = env.NODE_DISABLE_COMPILE_CACHE === undefined && env.NODE_V8_COVERAGE === undefined;
  const user = { env, platform, home: homedir(), uid: process.getuid?.() };
  const code = keptCode({
    folder: isWanted ? compileCacheFolder(user) : undefined,
    command: commandOf(args[0]),
  });
  setTimeout(code.keep, LASTING_MS).unref();
  await run(code.load(bundle));
  // What a failure has not reached would be missing for a long time.
  if (process.exitCode === 0) code.keep();
}

async function run({ main }) {
  process.exitCode = await main(args);
  leaveSoon();
}

/** What decides which code runs. A word that is no command fails, and nothing is kept for it. */
function commandOf(word = "") {
  return /^[a-z]{1,20}$/.test(word) ? word : "other";
}
