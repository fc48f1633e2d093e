import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { UsageFilter, UsageWindow } from "../../store/usage.js";
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

/** The conditions of a question in the store's words. @throws {Refusal} It names a service and a connector. */
export function filterOf({ client, user, service, connector }: UsageFilterQuery): UsageFilter {
  if (service !== undefined && connector !== undefined) {
    throw invalid(fault("connector", "serviceOrConnector"));
  }
  return {
    ...(client !== undefined && { clientId: client }),
    ...(user !== undefined && { userId: user }),
    ...(service !== undefined && { target: { kind: "service", key: service } }),
    ...(connector !== undefined && { target: { kind: "connector", key: connector } }),
  };
}
