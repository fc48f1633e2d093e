import type { Store } from "../../store/store.js";
import { isoTime } from "../door/list-query.js";
import type { ClientUsage } from "./schemas.js";
import { dayMs, hourMs } from "../../platform/durations.js";

const periods = [
  { period: "24h", stepMs: hourMs, steps: 24 },
  { period: "7d", stepMs: dayMs, steps: 7 },
  { period: "30d", stepMs: dayMs, steps: 30 },
  { period: "90d", stepMs: dayMs, steps: 90 },
] as const;

/** What went through a client in the last hours and days, from what is counted already. */
export async function loadUsage(
  clientId: string,
  { auditSearch }: Pick<Store, "auditSearch">,
  now: Date,
): Promise<ClientUsage> {
  const [{ throughAt }, ...counted] = await Promise.all([
    auditSearch.progress(),
    ...periods.map(async ({ period, stepMs, steps }) => {
      const from = new Date(Math.floor(now.getTime() / stepMs - steps + 1) * stepMs);
      return { period, ...(await auditSearch.countClientUse({ clientId, from })) };
    }),
  ]);
  return { countedThrough: throughAt && isoTime(throughAt), periods: counted };
}
