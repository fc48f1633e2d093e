import type { Store } from "../../store/store.js";
import type { UsageNumbers } from "../../store/usage.js";
import type { Caller } from "../door/call.js";
import { isoTime } from "../door/list-query.js";
import { filterOf, windowOf } from "./question.js";
import type { SkillUsage, Usage, UsageFilterQuery, UsageRange } from "./schemas.js";

const nothing: UsageNumbers = { issued: 0, called: 0, denied: 0, failed: 0 };

/** Uses by the hour or by the day, and altogether. */
export async function loadUsage(
  query: UsageFilterQuery,
  {
    store,
    now,
    caller,
  }: {
    readonly store: Pick<Store, "auditSearch" | "usage">;
    readonly now: Date;
    readonly caller: Caller;
  },
): Promise<Usage> {
  const { stepMs, length, ...window } = windowOf(query.range, now);
  const [{ throughAt }, counted] = await Promise.all([
    store.auditSearch.progress(),
    store.usage.series(window, filterOf(query, caller)),
  ]);
  const known = new Map(counted.map(({ at, ...numbers }) => [at.getTime(), numbers]));
  const series = Array.from({ length }, (_, index) => {
    const at = window.from.getTime() + index * stepMs;
    return { at: isoTime(new Date(at)), ...(known.get(at) ?? nothing) };
  });
  return {
    countedThrough: throughAt && isoTime(throughAt),
    unit: window.unit,
    totals: series.reduce<UsageNumbers>(
      (sum, { issued, called, denied, failed }) => ({
        issued: sum.issued + issued,
        called: sum.called + called,
        denied: sum.denied + denied,
        failed: sum.failed + failed,
      }),
      nothing,
    ),
    series,
  };
}

/** How often a skill was read, by the hour or by the day, and altogether. */
export async function loadSkillUsage(
  { range, skill }: { readonly range: UsageRange; readonly skill: string },
  store: Pick<Store, "usage">,
  now: Date,
): Promise<SkillUsage> {
  const { stepMs, length, unit, from } = windowOf(range, now);
  const counted = await store.usage.skillReads({ unit, from, skillId: skill });
  const known = new Map(counted.map(({ at, count }) => [at.getTime(), count]));
  const series = Array.from({ length }, (_, index) => {
    const at = from.getTime() + index * stepMs;
    return { at: isoTime(new Date(at)), reads: known.get(at) ?? 0 };
  });
  return { unit, reads: series.reduce((sum, { reads }) => sum + reads, 0), series };
}
