#!/usr/bin/env node
"use strict";
const { existsSync } = require("node:fs");
const path = require("node:path");

// Started by authz itself, at most once a day, and left alone.
const bundle = path.join(__dirname, "..", "dist", "bundle", "check-update.cjs");
if (existsSync(bundle)) void check(require(bundle));
else void import("../dist/update/check-for-update.js").then(check);

async function check({ checkForUpdate }) {
  await checkForUpdate();
}
