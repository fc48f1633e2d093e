/**
 * Protected requests per second and CPU per request, through each adapter, beside the bare framework and beside
 * express-oauth2-jwt-bearer in its DPoP mode. Rounds are interleaved; the figures are medians.
 *
 *     npm run bench -- http [--short]
 *     node dist/http/main.js [--seconds=3] [--rounds=5] [--only=fastify]
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createLoadClients, generateLoad, type LoadClient } from "./load.js";
import type { Serving, Usage } from "./server-process.js";
import { type Sample, summarize } from "./summary.js";
import { variants } from "./variants.js";

interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly serving: Serving;
  readonly clients: readonly LoadClient[];
  readonly samples: Sample[];
}

const { values } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    seconds: { type: "string" },
    rounds: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const seconds = Number(values.seconds ?? (values.short ? 1 : 3));
const rounds = Number(values.rounds ?? (values.short ? 1 : 5));

const contenders: Contender[] = [];
const names = Object.keys(variants).filter((name) => name.startsWith(values.only));
for (const name of names) contenders.push(await startContender(name));
try {
  for (const contender of contenders) await measure(contender, 1);
  for (let round = 1; round <= rounds; round++) {
    for (const contender of contenders) {
      process.stderr.write(`round ${round} of ${rounds}: ${contender.name}\n`);
      contender.samples.push(await measure(contender, seconds));
    }
  }
  process.stdout.write(`${summarize(contenders)}\n`);
} finally {
  for (const contender of contenders) contender.process.disconnect();
}

async function startContender(name: string): Promise<Contender> {
  const child = fork(fileURLToPath(new URL("./server-process.js", import.meta.url)), [name]);
  const [serving] = (await once(child, "message")) as [Serving];
  return { name, process: child, serving, clients: await createLoadClients(serving), samples: [] };
}

async function measure(contender: Contender, durationSeconds: number): Promise<Sample> {
  const before = await usage(contender.process);
  const load = await generateLoad(contender.serving, contender.clients, durationSeconds);
  const after = await usage(contender.process);
  return {
    requestsPerSecond: load.requests / load.seconds,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / load.requests,
    rssBytes: after.rssBytes,
  };
}

async function usage(child: ChildProcess): Promise<Usage> {
  child.send("usage");
  const [answer] = (await once(child, "message")) as [Usage];
  return answer;
}
