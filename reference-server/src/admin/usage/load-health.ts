import type { Store } from "../../store/store.js";
import type { TargetHealth as KnownHealth, UsageTarget } from "../../store/usage.js";
import { isoTime } from "../door/list-query.js";
import type { HealthList, TargetHealth } from "./schemas.js";

interface Attempt {
  readonly at: Date;
  readonly by: "catalog" | "call";
  readonly failed: boolean;
  readonly failure?: string | null;
}

/** Whether services and connectors answer, from what came of the last attempts. Nothing is asked for it. */
export async function loadHealth(
  { usage }: Pick<Store, "usage">,
  within?: readonly UsageTarget[],
): Promise<HealthList> {
  return { items: (await usage.health(within)).map(showHealth) };
}

function showHealth(known: KnownHealth): TargetHealth {
  const attempts = attemptsOf(known).toSorted((one, other) => other.at.getTime() - one.at.getTime());
  const [last] = attempts;
  const answered = attempts.find(({ failed }) => !failed);
  return {
    type: known.kind,
    key: known.key,
    state: last === undefined ? "unknown" : last.failed ? "fails" : "answers",
    at: last === undefined ? null : isoTime(last.at),
    by: last?.by ?? null,
    failure: last?.failure ?? null,
    answeredAt: answered === undefined ? null : isoTime(answered.at),
  };
}

function attemptsOf({ attemptedAt, fetchedAt, failure, answeredAt, failedAt }: KnownHealth): Attempt[] {
  return [
    ...(attemptedAt !== null && failure !== null
      ? [{ at: attemptedAt, by: "catalog", failed: true, failure } as const]
      : []),
    ...(fetchedAt === null ? [] : [{ at: fetchedAt, by: "catalog", failed: false } as const]),
    ...(failedAt === null ? [] : [{ at: failedAt, by: "call", failed: true } as const]),
    ...(answeredAt === null ? [] : [{ at: answeredAt, by: "call", failed: false } as const]),
  ];
}
