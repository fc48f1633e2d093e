import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { UsageFilter, UsageTarget, UsageWindow } from "../../store/usage.js";
import { ownedOnly } from "../door/access.js";
import type { Caller } from "../door/call.js";
import type { UsageFilterQuery, UsageRange } from "./schemas.js";
import { dayMs, hourMs } from "../../platform/durations.js";

interface Steps {
  readonly unit: "hour" | "day";
  readonly stepMs: number;
  readonly length: number;
}

const ranges: Readonly<Record<UsageRange, Steps>> = {
  "24h": { unit: "hour", stepMs: hourMs, length: 24 },
  "7d": { unit: "day", stepMs: dayMs, length: 7 },
  "30d": { unit: "day", stepMs: dayMs, length: 30 },
  "90d": { unit: "day", stepMs: dayMs, length: 90 },
};

/** The hours or days of a range: the last one is the current one. */
export function windowOf(range: UsageRange, now: Date): UsageWindow & Steps {
  const steps = ranges[range];
  const current = Math.floor(now.getTime() / steps.stepMs);
  return { ...steps, from: new Date((current - steps.length + 1) * steps.stepMs) };
}

/** What an owner reads counts of; `undefined`: everything. */
export function usageWithin(caller: Caller): readonly UsageTarget[] | undefined {
  const owned = ownedOnly(caller);
  if (owned === undefined) return undefined;
  return [
    ...owned.services.map(({ key }) => ({ kind: "service", key }) as const),
    ...owned.connectors.map(({ key }) => ({ kind: "connector", key }) as const),
  ];
}

/** The conditions of a question in the store's words. @throws {Refusal} It names a service and a connector. */
export function filterOf(
  { client, user, service, connector }: UsageFilterQuery,
  caller: Caller,
): UsageFilter {
  if (service !== undefined && connector !== undefined) {
    throw invalid(fault("connector", "serviceOrConnector"));
  }
  const within = usageWithin(caller);
  return {
    ...(within !== undefined && { within }),
    ...(client !== undefined && { clientId: client }),
    ...(user !== undefined && { userId: user }),
    ...(service !== undefined && { target: { kind: "service", key: service } }),
    ...(connector !== undefined && { target: { kind: "connector", key: connector } }),
  };
}
