/**
 * What the check of a request costs over HTTP, in CPU of the server: through each adapter, above its bare framework, and in
 * verifications of a signature in the same place; and the same of express-oauth2-jwt-bearer in its DPoP mode.
 *
 * The variants of one framework take short turns right after each other, and what is compared is of the same seconds: what else the
 * machine does then hits them alike. The figures are medians of such differences and quotients.
 *
 *     npm run bench -- http [--quick]
 *     node dist/http/main.js [--rounds=30] [--requests=512] [--only=fastify]
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { conditions, inTurns, readOptions } from "../frame.js";
import { connections, LoadGenerator } from "./load.js";
import type { Question, Serving, Usage } from "./server-process.js";
import { compareInRounds, figuresOf, type Sample, summarize, takeTogether } from "./summary.js";
import { frameworks, variantsOf } from "./variants.js";

/** One server, and its clients. */
interface Contender {
  readonly name: string;
  readonly process: ChildProcess;
  readonly load: LoadGenerator;
}

const { rounds, endAt, own, publish } = readOptions({ rounds: [30, 4] }, ["requests", "only"]);
const burstsPerTurn = Math.ceil(Number(own["requests"] ?? 512) / connections);
/** A collection of all garbage comes every few turns. */
const turnsPerRound = 3;
/** By then V8 has compiled what it compiles, and every client is known. */
const warmUpRounds = 8;

const chosen = frameworks.filter((framework) => framework.startsWith(own["only"] ?? ""));
const groups: Contender[][] = [];
for (const framework of chosen) groups.push(await Promise.all(variantsOf(framework).map(startContender)));
try {
  const turns = groups.map((group, index) => ({
    name: chosen[index] as string,
    take: (round: number) => (round === 0 ? warmUp(group) : takeTurns(group)),
  }));
  const samples = await inTurns(turns, { rounds, endAt });
  const rows = samples.flatMap(compareInRounds);
  process.stdout.write(`${conditions(samples)}\n\n${summarize(rows)}\n`);
  publish(figuresOf(rows));
} finally {
  for (const contender of groups.flat()) contender.process.disconnect();
}

async function startContender(name: string): Promise<Contender> {
  const child = fork(fileURLToPath(new URL("./server-process.js", import.meta.url)), [name]);
  const [serving] = (await once(child, "message")) as [Serving];
  return { name, process: child, load: await LoadGenerator.start(serving) };
}

async function warmUp(group: readonly Contender[]): Promise<readonly Sample[]> {
  for (let round = 1; round < warmUpRounds; round += 1) await takeTurns(group);
  return takeTurns(group);
}

/** Each takes as many turns, none of them always first. */
async function takeTurns(group: readonly Contender[]): Promise<readonly Sample[]> {
  const turns = group.map((): Sample[] => []);
  for (let turn = 0; turn < turnsPerRound; turn += 1) {
    for (let index = 0; index < group.length; index += 1) {
      const place = (turn + index) % group.length;
      turns[place]?.push(await measure(group[place] as Contender));
    }
  }
  return turns.map(takeTogether);
}

async function measure({ name, process: child, load }: Contender): Promise<Sample> {
  const requests = load.sign(burstsPerTurn);
  const before = await ask(child, "begin");
  await load.send(requests);
  const after = await ask(child, "end");
  const cpuMicroseconds = (after.cpuMicroseconds - before.cpuMicroseconds) / requests.length;
  return { name, cpuMicroseconds, rssBytes: after.rssBytes };
}

async function ask(child: ChildProcess, question: Question): Promise<Usage> {
  child.send(question);
  const [answer] = (await once(child, "message")) as [Usage];
  return answer;
}
