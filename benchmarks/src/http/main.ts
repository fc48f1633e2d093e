/**
 * Protected requests per second and CPU per request, through each adapter, beside the bare framework, beside the
 * framework with nothing but one verification in the same place, and beside express-oauth2-jwt-bearer in its DPoP mode.
 * Rounds are interleaved; the figures are medians.
 *
 * CPU per request is measured at a rate that all of them manage. At full speed a slow server would look worse than it
 * is: its load generator sleeps between two answers, and waking it up is part of what the server pays for an answer.
 *
 *     npm run bench -- http [--quick]
 *     node dist/http/main.js [--seconds=3] [--rounds=5] [--rate=1500] [--only=fastify]
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inTurns, readOptions } from "../frame.js";
import { createLoadClients, generateLoad, type LoadClient } from "./load.js";
import type { Serving, Usage } from "./server-process.js";
import { figuresOf, type Sample, summarize } from "./summary.js";
import { variants } from "./variants.js";

interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly serving: Serving;
  readonly clients: readonly LoadClient[];
}

const { rounds, seconds, endAt, own, publish } = readOptions({ rounds: [5, 1], seconds: [3, 1] }, [
  "rate",
  "only",
]);
const requestsPerSecond = Number(own["rate"] ?? 1500);

const contenders: Contender[] = [];
const names = Object.keys(variants).filter((name) => name.startsWith(own["only"] ?? ""));
for (const name of names) contenders.push(await startContender(name));
try {
  const turns = contenders.map((contender) => ({
    name: contender.name,
    take: (round: number) => measure(contender, round === 0 ? 1 : seconds),
  }));
  const samples = await inTurns(turns, { rounds, endAt });
  process.stdout.write(`${summarize(names, samples)}\n`);
  publish(figuresOf(names, samples));
} finally {
  for (const contender of contenders) contender.process.disconnect();
}

async function startContender(name: string): Promise<Contender> {
  const child = fork(fileURLToPath(new URL("./server-process.js", import.meta.url)), [name]);
  const [serving] = (await once(child, "message")) as [Serving];
  return { name, process: child, serving, clients: await createLoadClients(serving) };
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
