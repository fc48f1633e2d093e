#!/usr/bin/env node
import { runDevCommand } from "../dist/index.js";

await runDevCommand(process.argv);
