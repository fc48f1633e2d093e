import { nameOfServer } from "../../config/database-servers.js";

/** A server's position in the history of its cluster. Each promotion of a standby begins a new timeline. */
export interface Standing {
  /** Identifies the cluster: timelines of different clusters cannot be compared. */
  readonly system: string;
  readonly timeline: number;
  /** Tells two servers of one cluster apart; two addresses of one server have the same. */
  readonly startedAt: string;
}

/** The answer of one server of a URL. */
export interface ServerAnswer {
  readonly url: string;
  readonly isWritable: boolean;
  /** Absent when the server does not tell. */
  readonly standing: Standing | undefined;
  /** Why it did not answer. */
  readonly failure?: unknown;
}

/** The newest timeline of each cluster that any of its servers was on. */
interface Timelines {
  /** Notes a standing. Returns whether its timeline is newer than all before. */
  learn(standing: Standing): boolean;
  /** Why the server of a standing must not be written to, or `undefined`. */
  refuse(standing: Standing | undefined): string | undefined;
}

export function createTimelines(): Timelines {
  const newest = new Map<string, number>();
  return {
    learn({ system, timeline }) {
      const before = newest.get(system);
      if (before === undefined || before < timeline) newest.set(system, timeline);
      return before !== undefined && before < timeline;
    },
    refuse(standing) {
      if (standing === undefined) return undefined;
      const { system, timeline } = standing;
      const known = newest.get(system) ?? timeline;
      if (timeline >= known) return undefined;
      return (
        `it is an old primary, on timeline ${timeline} where another server is on ${known}; ` +
        "stop it, or make it a standby of the new one"
      );
    },
  };
}

interface Choice {
  /** The server to write to; `undefined` when none may be. */
  readonly url: string | undefined;
  /** Several servers are on the newest timeline and accept writes: copies that went apart. */
  readonly isSplit: boolean;
  /** The fault of each of the other servers. */
  readonly reasons: readonly string[];
  /** Of these, the servers that accept writes and must not get any. */
  readonly refused: readonly string[];
}

/**
 * Chooses the server to write to: the first that accepts writes on the newest timeline. None where two of them do, since
 * each lacks what the other stored.
 *
 * @param answers - in order of preference
 */
export function chooseServer(answers: readonly ServerAnswer[], timelines: Timelines): Choice {
  for (const { standing } of answers) if (standing !== undefined) timelines.learn(standing);
  const [first, ...others] = answers.filter(
    ({ isWritable, standing }) => isWritable && timelines.refuse(standing) === undefined,
  );
  const isSplit = others.some(({ standing }) => isOtherServer(standing, first?.standing));
  const judged = answers.flatMap(({ url, ...answer }) => {
    const fault = findFault(answer, timelines) ?? (isSplit ? split : undefined);
    return fault === undefined ? [] : [{ reason: `${nameOfServer(url)}: ${fault}`, ...answer }];
  });
  return {
    url: isSplit ? undefined : first?.url,
    isSplit,
    reasons: judged.map(({ reason }) => reason),
    refused: judged.filter(({ isWritable }) => isWritable).map(({ reason }) => reason),
  };
}

/** The fault of a server that does not accept writes. */
export const notWritable = "it cannot be written to, it may be a standby";

const split = "it and another server accept writes on the same timeline; stop the wrong one";

function findFault(
  { failure, isWritable, standing }: Omit<ServerAnswer, "url">,
  timelines: Timelines,
): string | undefined {
  if (failure !== undefined) return messageOf(failure);
  return isWritable ? timelines.refuse(standing) : notWritable;
}

function isOtherServer(one: Standing | undefined, other: Standing | undefined): boolean {
  return one !== undefined && one.system === other?.system && one.startedAt !== other.startedAt;
}

/** Of a host with several addresses, the first failure. */
function messageOf(error: unknown): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return (first as Error).message;
}
