#!/usr/bin/env node
import { existsSync } from "node:fs";

// Started by authz itself, at most once a day, and left alone.
const bundle = new URL("../dist/bundle/check-update.js", import.meta.url);
const { checkForUpdate } = await import(
  existsSync(bundle) ? bundle.href : "../dist/update/check-for-update.js"
);
await checkForUpdate();
