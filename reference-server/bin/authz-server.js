#!/usr/bin/env node
import { runServerCommand } from "../dist/main.js";

await runServerCommand(process.argv);
