import { scopePattern } from "@authz/dpop/jwt";
import type { AuditRecord } from "../store/audit-events.js";
import type { Store } from "../store/store.js";
import type { DenialRow, UsageNumbers, UsageRow, UsageTarget } from "../store/usage.js";

/** What some events add to the counts of use. */
export interface CountedUsage {
  readonly rows: readonly UsageRow[];
  readonly denials: readonly DenialRow[];
}

type Numbers = { -readonly [Name in keyof UsageNumbers]: number };

/**
 * What an event of each type means when it ended well; one that did not is counted as denied or as failed. Whatever is not here is no use of
 * anything: a new kind of use is one line.
 */
const meanings: Readonly<Record<string, "issued" | "called" | "nothing">> = {
  "token.issued": "issued",
  "assertion.issued": "issued",
  "machine_token.issued": "issued",
  "connection.used": "called",
  "service.called": "called",
  "token.refused": "nothing",
  "authorization.refused": "nothing",
  "connection.denied": "nothing",
  "service.call_denied": "nothing",
};

/** Permissions of one refusal that are counted separately, and characters of a reason. */
const most = { scopes: 20, reason: 100, scope: 200 } as const;

/** The service at fault, not the caller. */
const serverError = 500;

/** Adds up uses by person, app and target, and refusals by person. */
export async function countUsage(
  events: readonly AuditRecord[],
  store: Pick<Store, "usage">,
): Promise<CountedUsage> {
  const uses = events.filter((event) => meaningOf(event) !== undefined);
  const targetOf = await loadTargets(uses, store);
  const rows = new Map<string, UsageRow>();
  const denials = new Map<string, DenialRow>();
  for (const event of uses) {
    const target = targetOf(event);
    // A token for this server's own API is how an app signs in, and no use of anything.
    const isOwn = target.kind === "none" && event.data["resource"] === undefined;
    const numbers = numbersOf(event);
    if (isOwn && numbers.issued > 0) continue;
    const place = {
      hour: hourOf(event.at),
      clientId: event.clientId ?? "",
      userId: personOf(event),
      ...target,
    };
    const id = JSON.stringify(place);
    const before = rows.get(id);
    rows.set(id, { ...place, ...sumOf(before, numbers), ...lastCallOf(before, event, numbers) });
    if (numbers.denied === 0) continue;
    for (const scope of scopesOf(event)) {
      const denied = { ...place, scope, reason: reasonOf(event) };
      const key = JSON.stringify(denied);
      const known = denials.get(key);
      const lastAt = later(known?.lastAt ?? null, event.at);
      denials.set(key, { ...denied, count: (known?.count ?? 0) + numbers.denied, lastAt });
    }
  }
  return { rows: [...rows.values()], denials: [...denials.values()] };
}

/** Refusals that were added up mean what each of them would have meant. */
function meaningOf({ type, data }: AuditRecord) {
  const meant = type === "events.counted" ? String(data["event"]) : type;
  return Object.hasOwn(meanings, meant) ? meanings[meant] : undefined;
}

function numbersOf(event: AuditRecord): Numbers {
  const { type, outcome, data } = event;
  const numbers: Numbers = { issued: 0, called: 0, denied: 0, failed: 0 };
  const count = type === "events.counted" && typeof data["count"] === "number" ? data["count"] : 1;
  const meaning = meaningOf(event);
  if (meaning === "called" || (meaning === "issued" && outcome === "success")) numbers[meaning] = count;
  const { status } = data;
  if (outcome === "denied") numbers.denied = count;
  else if (outcome === "failed" || (typeof status === "number" && status >= serverError)) {
    numbers.failed = count;
  }
  return numbers;
}

/** Whether the service answered, the last time that it was called. */
function lastCallOf(
  before: Pick<UsageRow, "answeredAt" | "failedAt"> = { answeredAt: null, failedAt: null },
  { at }: AuditRecord,
  { called, failed }: UsageNumbers,
): Pick<UsageRow, "answeredAt" | "failedAt"> {
  const { answeredAt, failedAt } = before;
  if (called === 0) return { answeredAt, failedAt };
  return failed > 0
    ? { answeredAt, failedAt: later(failedAt, at) }
    : { answeredAt: later(answeredAt, at), failedAt };
}

/** Of two times that are written alike. */
function later(one: string | null, other: string): string {
  return one !== null && one > other ? one : other;
}

function sumOf(before: UsageNumbers | undefined, added: UsageNumbers): UsageNumbers {
  if (before === undefined) return added;
  return {
    issued: before.issued + added.issued,
    called: before.called + added.called,
    denied: before.denied + added.denied,
    failed: before.failed + added.failed,
  };
}

/**
 * Names the service or the connector of each event by its key. What nobody registered has no row of its own: what somebody asks for must not
 * be able to fill a table.
 */
async function loadTargets(
  events: readonly AuditRecord[],
  { usage }: Pick<Store, "usage">,
): Promise<(event: AuditRecord) => UsageTarget> {
  const named = (member: string) => [
    ...new Set(events.map(({ data }) => data[member]).filter((value) => typeof value === "string")),
  ];
  const [resources, connectors] = [named("resource"), named("connector")];
  const found =
    resources.length + connectors.length === 0 ? [] : await usage.findTargets({ resources, connectors });
  const targets = new Map<string, UsageTarget>();
  for (const { kind, key, resource } of found) {
    for (const id of [key, ...(resource === null ? [] : [resource])]) {
      targets.set(`${kind} ${id}`, { kind, key });
    }
  }
  return ({ data: { resource, connector } }) =>
    targets.get(`connector ${String(connector)}`) ??
    targets.get(`service ${String(resource)}`) ?? { kind: "none", key: "" };
}

/** The person that an event is about. A request with a connection is the person's own. */
function personOf({ subject, actorType, actorId }: AuditRecord): string {
  return subject ?? (actorType === "user" ? actorId : null) ?? "";
}

/** The permissions that were asked for, as far as they can be ones; `[""]` when there are none. */
function scopesOf({ data: { scopes } }: AuditRecord): readonly string[] {
  const named = Array.isArray(scopes)
    ? scopes.filter(
        (scope): scope is string =>
          typeof scope === "string" && scope.length <= most.scope && scopePattern.test(scope),
      )
    : [];
  return named.length === 0 ? [""] : [...new Set(named)].slice(0, most.scopes);
}

function reasonOf({ data: { reason, error } }: AuditRecord): string {
  const code = typeof reason === "string" ? reason : typeof error === "string" ? error : "";
  return code.slice(0, most.reason);
}

export function hourOf(at: string): Date {
  return new Date(`${at.slice(0, 13)}:00:00Z`);
}
