import type { z } from "zod";
import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { Store } from "../../store/store.js";
import type { UsageTarget } from "../../store/usage.js";
import type { Caller } from "../door/call.js";
import { loadNames } from "./names.js";
import { filterOf, windowOf } from "./question.js";
import type { UsageRank, UsageRanking, usageRankingQuerySchema } from "./schemas.js";

type Query = z.output<typeof usageRankingQuerySchema>;
type Stores = Pick<Store, "auditSearch" | "usage">;

/** The most used apps, services, people or skills. @throws {Refusal} Reads of skills are not counted by person. */
export async function loadRanking(
  query: Query,
  { store, now, caller }: { readonly store: Stores; readonly now: Date; readonly caller: Caller },
): Promise<UsageRanking> {
  const filter = filterOf(query, caller);
  const { unit, from } = windowOf(query.range, now);
  const asked = { unit, from, limit: query.limit };
  switch (query.by) {
    case "skill":
      return await rankSkills(query, { store, from, within: filter.within });
    case "client": {
      const ranks = await store.usage.top("client", asked, filter);
      const names = await loadNames(store, { ids: ranks.map(({ clientId }) => clientId), targets: [] });
      return answer(ranks, ({ clientId: id }) => ({
        type: id === "" ? "none" : "client",
        id,
        name: names.of(id)?.name ?? null,
        detail: names.of(id)?.host ?? null,
      }));
    }
    case "user": {
      const ranks = await store.usage.top("user", asked, filter);
      const names = await loadNames(store, { ids: ranks.map(({ userId }) => userId), targets: [] });
      return answer(ranks, ({ userId: id }) => ({
        type: "user",
        id,
        name: names.of(id)?.name ?? null,
        detail: names.of(id)?.email ?? null,
      }));
    }
    case "resource":
    default: {
      const ranks = await store.usage.top("resource", asked, filter);
      const names = await loadNames(store, { ids: [], targets: ranks });
      return answer(ranks, ({ kind, key }) => ({
        type: kind,
        id: key,
        name: names.ofTarget({ kind, key }),
        detail: null,
      }));
    }
  }
}

type Ranked = Pick<UsageRank, "issued" | "called" | "denied" | "failed"> & { readonly total: number };

function answer<Rank extends Ranked>(
  ranks: readonly Rank[],
  describe: (rank: Rank) => Pick<UsageRank, "type" | "id" | "name" | "detail">,
): UsageRanking {
  return {
    items: ranks.map((rank) => {
      const { issued, called, denied, failed } = rank;
      return { ...describe(rank), issued, called, denied, failed };
    }),
    total: ranks[0]?.total ?? 0,
  };
}

async function rankSkills(
  query: Query,
  {
    store: { usage },
    from,
    within,
  }: {
    readonly store: Stores;
    readonly from: Date;
    readonly within: readonly UsageTarget[] | undefined;
  },
): Promise<UsageRanking> {
  const { client, user, connector, service, limit } = query;
  if ([client, user, connector].some((value) => value !== undefined)) {
    throw invalid(fault("by", "skillsByServiceOnly"));
  }
  const seen = within?.flatMap(({ kind, key }) => (kind === "service" ? key : [])) ?? null;
  const services = service === undefined ? seen : [service].filter((one) => seen?.includes(one) ?? true);
  const ranks = await usage.topSkills({ from, services, limit });
  const numbers = { issued: 0, denied: 0, failed: 0 };
  return answer(
    ranks.map(({ count, ...rank }) => ({ ...rank, ...numbers, called: count })),
    ({ skillId: id }) => ({ type: "skill", id, name: null, detail: null }),
  );
}
