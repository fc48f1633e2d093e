#!/usr/bin/env node
import { runProxyCommand } from "../dist/main.js";

await runProxyCommand();
