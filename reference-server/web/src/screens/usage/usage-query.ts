import type { UsageRank, UsageRanking } from "@admin/usage";

export const ranges = ["24h", "7d", "30d", "90d"] as const;
export type Range = (typeof ranges)[number];

/** The subject of the numbers; empty for all. */
export interface Subject {
  readonly client?: string;
  readonly user?: string;
  readonly service?: string;
  readonly connector?: string;
}

export const subjectNames = ["client", "user", "service", "connector"] as const;
export type SubjectName = (typeof subjectNames)[number];

/** Rankings by use. */
const rankings = ["client", "resource", "user", "skill"] as const;
export type RankedBy = (typeof rankings)[number];

/** The rankings that make sense for a subject. One app has no ranking of apps, and readers of skills are not recorded. */
export function rankingsOf({ client, user, service, connector }: Subject): readonly RankedBy[] {
  const hidden: Readonly<Record<RankedBy, boolean>> = {
    client: client !== undefined,
    resource: service !== undefined || connector !== undefined,
    user: user !== undefined,
    skill: client !== undefined || user !== undefined || connector !== undefined,
  };
  return rankings.filter((by) => !hidden[by]);
}

/** The number of uses of any kind. */
export function usesOf({ issued, called }: Pick<UsageRank, "issued" | "called">): number {
  return issued + called;
}

/** The subject in the address. */
export function readSubject(search: URLSearchParams): Subject {
  return Object.fromEntries(
    subjectNames.flatMap((name) => {
      const value = search.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** The subject of one line of a ranking. */
export function narrowTo({ type, id }: UsageRanking["items"][number]): Subject | undefined {
  if (type === "client" || type === "user" || type === "service" || type === "connector")
    return { [type]: id };
  return undefined;
}
