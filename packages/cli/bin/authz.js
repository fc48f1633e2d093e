#!/usr/bin/env node
import { existsSync } from "node:fs";
import module from "node:module";

// Node 22 and later keep compiled code between runs, which every command feels.
module.enableCompileCache?.();

// One file instead of a hundred; a clone that was compiled by tsc alone has only the hundred.
const bundle = new URL("../dist/bundle/authz.js", import.meta.url);
const { main } = await import(existsSync(bundle) ? bundle.href : "../dist/index.js");
process.exitCode = await main(process.argv.slice(2));

// A keyring that never answers would keep the process alive after the command has ended.
const leave = () => {
  if (process.stdout.writableLength > 0) process.stdout.once("drain", leave);
  else process.exit();
};
setTimeout(leave, 1000).unref();
