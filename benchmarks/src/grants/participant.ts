import type { Es256KeyPair } from "@authz/dpop";
import type { AnsweringProcess, Usage } from "./child-process.js";
import type { Contender } from "./contender.js";
import type { Database } from "./database.js";
import type { FloorQuestion } from "./floor-process.js";
import { clientOf, type LoadRequest, type LoadResult, type Workload, workloads } from "./load.js";
import { floorName, type Sample } from "./summary.js";

/** Something that takes its turn in every round. */
export interface Participant {
  readonly name: string;
  /** What its processes have used, together. */
  usage(): Promise<Pick<Usage, "cpuMicroseconds">>;
  readonly workloads: readonly Workload[];
  /** Does what is not measured, and returns what is. */
  prepare(workload: Workload, count: number): Promise<() => Promise<Timing>>;
}

interface Timing extends Partial<Omit<LoadResult, "seconds">> {
  readonly seconds: number;
  readonly count: number;
}

/** Measures one turn. CPU time is that of the server's process and of PostgreSQL, not of the load generator. */
export async function takeTurn(
  participant: Participant,
  { workload, count }: { readonly workload: Workload; readonly count: number },
  database: Database,
): Promise<Sample> {
  const run = await participant.prepare(workload, count);
  const before = { server: await participant.usage(), database: database.cpuMicroseconds() };
  const timing = await run();
  const after = { server: await participant.usage(), database: database.cpuMicroseconds() };
  return {
    perSecond: timing.count / timing.seconds,
    serverMicroseconds: (after.server.cpuMicroseconds - before.server.cpuMicroseconds) / timing.count,
    databaseMicroseconds:
      before.database === undefined || after.database === undefined
        ? undefined
        : (after.database - before.database) / timing.count,
    medianMilliseconds: timing.medianMilliseconds ?? Number.NaN,
    p99Milliseconds: timing.p99Milliseconds ?? Number.NaN,
  };
}

/** A server, or as many of its processes, under the load of one process with one connection per client. */
export async function asParticipant(
  contender: Contender,
  load: AnsweringProcess,
  keyPairs: readonly Es256KeyPair[],
  processes: number = contender.servers.length,
): Promise<Participant> {
  let refreshTokens = await contender.seedLogIns(keyPairs);

  return {
    name: contender.name,
    usage: async () => {
      const used = await Promise.all(contender.servers.slice(0, processes).map((server) => server.usage()));
      return { cpuMicroseconds: used.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0) };
    },
    workloads: workloads.filter((workload) => contender.parameters[workload] !== undefined),
    async prepare(workload, count) {
      const share = Math.ceil(count / keyPairs.length);
      const codes = workload === "code" ? await contender.seedCodes(keyPairs, share) : [];
      const request: LoadRequest = {
        kind: "load",
        workload,
        ports: contender.ports.slice(0, processes),
        tokenUrl: contender.tokenUrl,
        parameters: contender.parameters[workload] ?? {},
        devices: keyPairs.map((keyPair, index) => ({
          clientId: clientOf(index),
          keyPair,
          secrets: workload === "code" ? (codes[index] ?? []) : [refreshTokens[index] ?? ""],
        })),
        count,
      };
      return async () => {
        const result = await load.ask<LoadResult>(request);
        if (workload === "refresh") refreshTokens = result.refreshTokens;
        return { ...result, count: share * keyPairs.length };
      };
    },
  };
}

export function floorParticipant(process: AnsweringProcess): Participant {
  return {
    name: floorName,
    usage: () => process.usage(),
    workloads,
    async prepare(workload, count) {
      await process.ask<undefined>({ kind: "prepare", workload, count } satisfies FloorQuestion);
      return () => process.ask<Timing>({ kind: "run", workload, count } satisfies FloorQuestion);
    },
  };
}
