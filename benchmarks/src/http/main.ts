/**
 * What the check of a request costs over HTTP, in CPU of the server: through each adapter, above its bare framework, and in
 * verifications of a signature in the same place; and the same of express-oauth2-jwt-bearer in its DPoP mode.
 *
 * The variants of one framework take short turns right after each other, and what is compared is of the same seconds: what else the
 * machine does then hits them alike. The figures are medians of such differences and quotients.
 *
 *     npm run bench -- http [--quick] [--rounds=30] [--requests=512] [--only=fastify]
 */
import { type AnsweringProcess, startProcess, type Usage } from "../child-process.js";
import {
  conditions,
  inTurns,
  inWorkplace,
  layOutTable,
  mebibytes,
  median,
  medianOf,
  print,
  readOptions,
} from "../frame.js";
import { connections, LoadGenerator } from "./load.js";
import type { ServerQuestion, Serving } from "./server-process.js";
import { frameworks, variantsOf } from "./variants.js";

/** One server, and its clients. */
interface Contender {
  readonly name: string;
  readonly server: AnsweringProcess;
  readonly load: LoadGenerator;
}

const { rounds, endAt, own, publish } = readOptions({ rounds: [30, 4] }, ["requests", "only"]);
const burstsPerTurn = Math.ceil(Number(own["requests"] ?? 512) / connections);
/** A collection of all garbage comes every few turns. */
const turnsPerRound = 3;
/** By then V8 has compiled what it compiles, and every client is known. */
const warmUpRounds = 8;
/** Fewer do not give an interval with a probability of 95 of 100. */
const fewestRounds = 6;

await inWorkplace(async ({ keep }) => {
  const start = async (name: string): Promise<Contender> => {
    const server = keep(startProcess(new URL("./server-process.js", import.meta.url), [name]));
    const question: ServerQuestion = { kind: "serving" };
    return { name, server, load: await LoadGenerator.start(await server.ask<Serving>(question)) };
  };
  const turns = [];
  for (const framework of frameworks.filter((name) => name.startsWith(own["only"] ?? ""))) {
    const group = await Promise.all(variantsOf(framework).map(start));
    turns.push({
      name: framework,
      take: async (round: number) => {
        const more = round === 0 ? warmUpRounds - 1 : 0;
        for (let done = 0; done < more; done += 1) await takeTurns(group);
        return await takeTurns(group);
      },
    });
  }
  const samples = await inTurns(turns, { rounds, endAt });
  const rows = samples.flatMap(compareInRounds);
  print(conditions(samples), "", ...layOut(rows));
  publish(rows.flatMap(figureOf));
});

/** What one round of one server showed. */
interface Sample {
  readonly name: string;
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

/** Each takes as many turns, none of them always first. Returns their means. */
async function takeTurns(group: readonly Contender[]): Promise<readonly Sample[]> {
  const sums = group.map(({ name }) => ({ name, cpuMicroseconds: 0, rssBytes: 0 }));
  for (let turn = 0; turn < turnsPerRound; turn += 1) {
    for (let index = 0; index < group.length; index += 1) {
      const place = (turn + index) % group.length;
      const [contender, sum] = [group[place], sums[place]];
      if (contender === undefined || sum === undefined) continue;
      const requests = contender.load.sign(burstsPerTurn);
      const ask = (kind: ServerQuestion["kind"]) => contender.server.ask<Usage>({ kind });
      const before = await ask("begin");
      await contender.load.send(requests);
      const after = await ask("end");
      const cpuMicroseconds = (after.cpuMicroseconds - before.cpuMicroseconds) / requests.length;
      sum.cpuMicroseconds += cpuMicroseconds / turnsPerRound;
      sum.rssBytes += after.rssBytes / turnsPerRound;
    }
  }
  return sums;
}

/** What all rounds of one server showed, in comparison with the others of its framework. */
interface Row extends Sample {
  /** CPU above the bare framework, and what that is in verifications of a signature. Not of the bare one itself. */
  readonly above: number | undefined;
  readonly verifications: number | undefined;
  /** In which the median of endless rounds of the same processes is, with a probability of 95 of 100. */
  readonly interval: string;
}

/**
 * Compares the servers of one framework round by round.
 *
 * @param samples - of each round, the bare framework, the one with a verification, and those that are compared with it
 */
function compareInRounds(samples: readonly (readonly Sample[])[]): readonly Row[] {
  const cpu = (round: readonly Sample[], index: number) => round[index]?.cpuMicroseconds ?? Number.NaN;
  const above = (round: readonly Sample[], index: number) => cpu(round, index) - cpu(round, 0);
  return (samples[0] ?? []).map(({ name }, index) => {
    const ratios = samples.map((round) => above(round, index) / above(round, 1));
    return {
      name,
      cpuMicroseconds: medianOf(samples, (round) => cpu(round, index)),
      rssBytes: Math.max(...samples.map((round) => round[index]?.rssBytes ?? 0)),
      above: index === 0 ? undefined : medianOf(samples, (round) => above(round, index)),
      verifications: index < 2 ? undefined : median(ratios),
      interval: index < 2 ? "" : intervalOf(ratios),
    };
  });
}

/** By the binomial distribution, which needs to know nothing about how the values are distributed. */
function intervalOf(values: readonly number[]): string {
  if (values.length < fewestRounds) return "";
  const sorted = values.toSorted((one, other) => one - other);
  const rank = Math.max(0, Math.floor((sorted.length - 1.96 * Math.sqrt(sorted.length)) / 2) - 1);
  return `${sorted[rank]?.toFixed(2)} to ${sorted.at(-1 - rank)?.toFixed(2)}`;
}

function layOut(rows: readonly Row[]): readonly string[] {
  const heading = ["", "CPU µs/req", "above bare", "in verifications", "95 of 100 within", "RSS MiB"];
  const cells = rows.map(({ name, cpuMicroseconds, rssBytes, above, verifications, interval }) => [
    name,
    cpuMicroseconds.toFixed(0),
    above === undefined ? "" : `+${above.toFixed(1)}`,
    verifications?.toFixed(2) ?? "",
    interval,
    mebibytes(rssBytes),
  ]);
  return layOutTable([heading, ...cells]);
}

/** What a check costs above its bare framework, in verifications of a signature at the same place. */
function figureOf({ name, above, verifications, interval }: Row) {
  if (above === undefined || verifications === undefined) return [];
  const [framework = "", check = ""] = name.split(" + ");
  return [
    {
      what: `Check of a request over HTTP, ${check}, CPU`,
      figure: `${above.toFixed(0)} µs`,
      beside: `one verification of a signature on ${framework}`,
      ratio: `${verifications.toFixed(2)}${interval === "" ? "" : ` (${interval})`}`,
    },
  ];
}
