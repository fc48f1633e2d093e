#!/usr/bin/env node
import module from "node:module";

// Node 22 and later keep compiled code between runs, which every command feels.
module.enableCompileCache?.();

const { main } = await import("../dist/index.js");
process.exitCode = await main(process.argv.slice(2));
