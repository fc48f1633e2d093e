#!/usr/bin/env node
"use strict";

// Any Node can read this file, however old: nothing in it is newer than ECMAScript 5.
var version = process.versions.node;
var parts = version.split(".").map(Number);
if (parts[0] > 20 || (parts[0] === 20 && parts[1] >= 19)) {
  // Every command has it; a clone that was not bundled has only its parts.
  var bundled = require("path").join(__dirname, "..", "dist", "bundle", "run.cjs");
  require(require("fs").existsSync(bundled) ? bundled : "./run.js");
} else {
  process.stderr.write(
    "authz needs Node 20.19 or newer, and this is Node " + version + ". Get one: https://nodejs.org\n",
  );
  process.exitCode = 1;
}
