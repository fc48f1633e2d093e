#!/usr/bin/env node
import { runMigrateCommand } from "../dist/main.js";

await runMigrateCommand(process.argv);
