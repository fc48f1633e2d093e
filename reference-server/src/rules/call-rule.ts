/** The methods that rules can name: those with which anything is called through this server. */
export const ruleMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Periods of limits, as windows of UTC. */
export const limitPeriods = ["hour", "day"] as const;

export type LimitPeriod = (typeof limitPeriods)[number];

const periodSeconds: Readonly<Record<LimitPeriod, number>> = { hour: 3600, day: 86_400 };

/** The period that a moment is in: when it started, and how long it goes on. */
export function readPeriod(
  per: LimitPeriod,
  at: Date,
): { readonly startsAt: Date; readonly endsInSeconds: number } {
  const milliseconds = periodSeconds[per] * 1000;
  const passed = at.getTime() % milliseconds;
  return {
    startsAt: new Date(at.getTime() - passed),
    endsInSeconds: Math.ceil((milliseconds - passed) / 1000),
  };
}

/** One rule as an administrator writes it. What is absent does not restrict it. */
export interface CallRule {
  readonly methods?: readonly (typeof ruleMethods)[number][];
  /** A path from the root; `{name}` stands for one segment, `{...}` at the end for any remainder. */
  readonly path?: string;
  /** A condition in CEL. */
  readonly when?: string;
  /** The scopes of calls that it is about: direct use goes without them. Absent: every scope of the service. */
  readonly scopes?: readonly string[];
  readonly allow?: true;
  /** `self`, or `group:PROVIDER:KEY`. */
  readonly ask?: string;
  /** The administrator's sentence for the caller. */
  readonly refuse?: string;
  readonly limit?: { readonly calls: number; readonly per: LimitPeriod };
  /** What happens to calls beyond the limit. */
  readonly beyond?: "ask" | "refuse";
  /** The administrator's words for the approver. */
  readonly say?: string;
  /** What happens to every other call: in the last rule, and nothing else there. */
  readonly default?: "allow" | "ask" | "refuse";
}

/** Who answers: the person whose app calls, or any other member of a group. */
export type Approver = "self" | { readonly provider: string; readonly group: string };

const groupForm = /^group:([a-z0-9][a-z0-9-]*):(.+)$/su;

/** The approver that `ask` names; `undefined`: it names none. */
export function readApprover(ask: string): Approver | undefined {
  if (ask === "self") return "self";
  const [, provider, group] = groupForm.exec(ask) ?? [];
  return provider === undefined || group === undefined ? undefined : { provider, group };
}

/** Whether a rule holds anything back that a service would do when it is called directly. */
export function restricts(rule: CallRule): boolean {
  return rule.allow !== true && rule.default !== "allow";
}

/** The scopes without which a service may be called directly while it has these rules. */
export function scopesOfRules(
  rules: readonly CallRule[],
  supportedScopes: readonly string[],
): readonly string[] {
  const named = new Set(rules.filter(restricts).flatMap(({ scopes = supportedScopes }) => scopes));
  return supportedScopes.filter((scope) => named.has(scope));
}
