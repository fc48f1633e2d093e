/**
 * Protected requests per second and CPU per request, through each adapter, beside the bare framework, beside the
 * framework with nothing but one verification in the same place, and beside express-oauth2-jwt-bearer in its DPoP mode.
 * Rounds are interleaved; the figures are medians.
 *
 * CPU per request is measured at a rate that all of them manage. At full speed a slow server would look worse than it
 * is: its load generator sleeps between two answers, and waking it up is part of what the server pays for an answer.
 *
 *     npm run bench -- http [--short]
 *     node dist/http/main.js [--seconds=3] [--rounds=5] [--rate=1500] [--only=fastify]
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
    rate: { type: "string", default: "1500" },
    only: { type: "string", default: "" },
  },
});
const seconds = Number(values.seconds ?? (values.short ? 1 : 3));
const rounds = Number(values.rounds ?? (values.short ? 1 : 5));
const requestsPerSecond = Number(values.rate);

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

async function measure(
  { process: child, serving, clients }: Contender,
  durationSeconds: number,
): Promise<Sample> {
  const fastest = await generateLoad(serving, clients, { seconds: durationSeconds });
  const before = await usage(child);
  const paced = await generateLoad(serving, clients, { seconds: durationSeconds, requestsPerSecond });
  const after = await usage(child);
  return {
    requestsPerSecond: fastest.requests / fastest.seconds,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / paced.requests,
    rssBytes: after.rssBytes,
  };
}

async function usage(child: ChildProcess): Promise<Usage> {
  child.send("usage");
  const [answer] = (await once(child, "message")) as [Usage];
  return answer;
}
