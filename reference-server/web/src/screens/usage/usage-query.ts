import type { UsageRank, UsageRanking } from "@admin/usage";

export const ranges = ["24h", "7d", "30d", "90d"] as const;
export type Range = (typeof ranges)[number];

/** What the numbers are about; nothing: everything. */
export interface Subject {
  readonly client?: string;
  readonly user?: string;
  readonly service?: string;
  readonly connector?: string;
}

export const subjectNames = ["client", "user", "service", "connector"] as const;
export type SubjectName = (typeof subjectNames)[number];

/** The lists of the most used. */
const rankings = ["client", "resource", "user", "skill"] as const;
export type RankedBy = (typeof rankings)[number];

/** The lists that say something about a subject: one app is no list of apps, and of a reader of skills nobody knows the name. */
export function rankingsOf({ client, user, service, connector }: Subject): readonly RankedBy[] {
  const hidden: Readonly<Record<RankedBy, boolean>> = {
    client: client !== undefined,
    resource: service !== undefined || connector !== undefined,
    user: user !== undefined,
    skill: client !== undefined || user !== undefined || connector !== undefined,
  };
  return rankings.filter((by) => !hidden[by]);
}

/** How often it was used, whichever way. */
export function usesOf({ issued, called }: Pick<UsageRank, "issued" | "called">): number {
  return issued + called;
}

/** What the address says about the subject. */
export function readSubject(search: URLSearchParams): Subject {
  return Object.fromEntries(
    subjectNames.flatMap((name) => {
      const value = search.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** The condition that leaves only what one line of a list is about. */
export function narrowTo({ type, id }: UsageRanking["items"][number]): Subject | undefined {
  if (type === "client" || type === "user" || type === "service" || type === "connector")
    return { [type]: id };
  return undefined;
}
