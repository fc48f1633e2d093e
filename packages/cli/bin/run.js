"use strict";
const { existsSync } = require("node:fs");
const { enableCompileCache } = require("node:module");
const { homedir } = require("node:os");
const path = require("node:path");
const { compileCacheFolder } = require("./compile-cache.js");
const { leaveSoon } = require("./leave.js");

// Node 22 and later keep compiled code between runs, which every command feels. Without a folder of its own it would be one in /tmp, whose name anybody knows.
if (enableCompileCache !== undefined) {
  const { env, platform } = process;
  const folder = compileCacheFolder({ env, platform, home: homedir(), uid: process.getuid?.() });
  if (folder !== undefined) enableCompileCache(folder);
}

// One file instead of a hundred; a clone that was compiled by tsc alone has only the hundred.
const bundle = path.join(__dirname, "..", "dist", "bundle", "authz.cjs");
if (existsSync(bundle)) void run(require(bundle));
else void import("../dist/index.js").then(run);

async function run({ main }) {
  process.exitCode = await main(process.argv.slice(2));
  leaveSoon();
}
