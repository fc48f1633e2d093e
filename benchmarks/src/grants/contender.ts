import type { Es256KeyPair } from "@authz/dpop";
import { clientOf, codeVerifier, redirectUri } from "../authz/people.js";
import type { Database } from "../authz/database.js";
import type { AnsweringProcess } from "../child-process.js";
import { inTurns, type Options, type Stoppable } from "../frame.js";

export const workloads = ["refresh", "code", "exchange"] as const;
export type Workload = (typeof workloads)[number];

/** A running authorization server that is measured. */
export interface Contender extends Stoppable {
  readonly name: string;
  /** Its processes, and where each of them listens: one, unless several share the database. */
  readonly servers: readonly AnsweringProcess[];
  readonly ports: readonly number[];
  readonly tokenUrl: string;
  /** Resident memory of the first one right after the start, before the first request. */
  readonly idleBytes: number;
  /** The workloads it has, with the form parameters of each beside the secret. */
  readonly parameters: Readonly<Partial<Record<Workload, Readonly<Record<string, string>>>>>;
  /** Signs every device in and returns their refresh tokens. */
  seedGrants(keyPairs: readonly Es256KeyPair[]): Promise<readonly string[]>;
  /** Issues this many codes for each device. */
  seedCodes(keyPairs: readonly Es256KeyPair[], each: number): Promise<readonly (readonly string[])[]>;
}

/** What all servers have. */
export const commonParameters = {
  refresh: { grant_type: "refresh_token" },
  code: { grant_type: "authorization_code", redirect_uri: redirectUri, code_verifier: codeVerifier },
} as const;

/** What the load generator is asked for. */
export interface LoadRequest {
  readonly workload: Workload;
  /** The devices are spread over these. */
  readonly ports: readonly number[];
  /** What proofs name. */
  readonly tokenUrl: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly devices: readonly {
    readonly clientId: string;
    readonly keyPair: Es256KeyPair;
    /** For `refresh` and `exchange` the refresh token that is valid now, for `code` one code per request. */
    readonly secrets: readonly string[];
  }[];
  readonly count: number;
}

export interface LoadResult {
  readonly seconds: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The refresh token of each device after its last request. */
  readonly refreshTokens: readonly string[];
}

/** Something that takes its turn in every round. */
export interface Participant {
  readonly name: string;
  readonly workloads: readonly Workload[];
  /** CPU time of its processes, together. */
  cpuMicroseconds(): Promise<number>;
  /** Does what is not measured, and returns what is. */
  prepare(workload: Workload, count: number): Promise<() => Promise<Timing>>;
}

interface Timing extends Partial<Omit<LoadResult, "seconds">> {
  readonly seconds: number;
  readonly count: number;
}

/** A server, or as many of its processes, under the load of one process with one connection per device. */
export async function asParticipant(
  contender: Contender,
  load: AnsweringProcess,
  keyPairs: readonly Es256KeyPair[],
  { processes = contender.servers.length, name = contender.name } = {},
): Promise<Participant> {
  let refreshTokens = await contender.seedGrants(keyPairs);
  return {
    name,
    workloads: workloads.filter((workload) => contender.parameters[workload] !== undefined),
    async cpuMicroseconds() {
      const used = await Promise.all(contender.servers.slice(0, processes).map((server) => server.usage()));
      return used.reduce((sum, { cpuMicroseconds }) => sum + cpuMicroseconds, 0);
    },
    async prepare(workload, count) {
      const share = Math.ceil(count / keyPairs.length);
      const codes = workload === "code" ? await contender.seedCodes(keyPairs, share) : [];
      const request: LoadRequest = {
        workload,
        ports: contender.ports.slice(0, processes),
        tokenUrl: contender.tokenUrl,
        parameters: contender.parameters[workload] ?? {},
        devices: keyPairs.map((keyPair, index) => ({
          clientId: clientOf(index),
          keyPair,
          secrets: codes[index] ?? [refreshTokens[index] ?? ""],
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

/** What the process of the floor is asked for: first `prepare`, which writes the rows that will be used up, then `run`. */
export interface FloorQuestion {
  readonly kind: "prepare" | "run";
  readonly workload: Workload;
  readonly count: number;
}

export const floorName = "PostgreSQL alone";

export function floorParticipant(process: AnsweringProcess): Participant {
  const ask = <Answer>(question: FloorQuestion) => process.ask<Answer>(question);
  return {
    name: floorName,
    workloads,
    cpuMicroseconds: async () => (await process.usage()).cpuMicroseconds,
    async prepare(workload, count) {
      await ask<undefined>({ kind: "prepare", workload, count });
      return () => ask<Timing>({ kind: "run", workload, count });
    },
  };
}

/** One turn of one participant with one workload. */
export interface Sample {
  readonly perSecond: number;
  readonly serverMicroseconds: number;
  readonly databaseMicroseconds: number | undefined;
  readonly p50: number;
  readonly p99: number;
}

/** What each participant showed with each workload. */
export type Samples = (workload: Workload, name: string) => readonly Sample[];

/**
 * Measures all participants in turns. The first round, which is not counted, sizes the turns: each then takes about so many seconds.
 *
 * @returns The samples, and all of them in a list
 */
export async function measureInTurns(
  participants: readonly Participant[],
  {
    chosen = workloads,
    database,
    ...size
  }: Pick<Options, "quick" | "rounds" | "seconds" | "endAt"> & {
    readonly chosen?: readonly Workload[];
    readonly database: Database;
  },
): Promise<{ readonly samples: Samples; readonly all: readonly (readonly Sample[])[] }> {
  let analyzedIn = 0;
  const turns = chosen.flatMap((workload) =>
    participants
      .filter((participant) => participant.workloads.includes(workload))
      .map((participant) => {
        let count = size.quick ? 300 : 2_000;
        return {
          name: `${participant.name} ${workload}`,
          async take(round: number) {
            if (round === 1 && analyzedIn !== 1) await database.analyze();
            analyzedIn = round;
            const sample = await takeTurn(participant, { workload, count }, database);
            if (round === 0) count = Math.max(100, Math.round(sample.perSecond * size.seconds));
            return sample;
          },
        };
      }),
  );
  const all = await inTurns(turns, size);
  const byName = new Map(turns.map(({ name }, index) => [name, all[index] ?? []]));
  return { samples: (workload, name) => byName.get(`${name} ${workload}`) ?? [], all };
}

/** CPU time is that of the server's processes and of PostgreSQL, not of the load generator. */
async function takeTurn(
  participant: Participant,
  { workload, count }: { readonly workload: Workload; readonly count: number },
  database: Database,
): Promise<Sample> {
  const run = await participant.prepare(workload, count);
  const cpu = async () => ({
    server: await participant.cpuMicroseconds(),
    database: database.cpuMicroseconds() ?? Number.NaN,
  });
  const before = await cpu();
  const timing = await run();
  const after = await cpu();
  return {
    perSecond: timing.count / timing.seconds,
    serverMicroseconds: (after.server - before.server) / timing.count,
    databaseMicroseconds: (after.database - before.database) / timing.count,
    p50: timing.p50 ?? Number.NaN,
    p99: timing.p99 ?? Number.NaN,
  };
}
