import { type CallRule, readPeriod } from "../../rules/call-rule.js";
import { type Replay, replayCall } from "../../rules/replay-call.js";
import type { AuditFilter, AuditRecord } from "../../store/audit-events.js";
import type { Store } from "../../store/store.js";
import type { RuleTrial, TriedCall } from "./schemas.js";

const maximumCalls = 500;
const maximumItems = 100;

/**
 * Says what rules would have said of the last calls. Calls that were refused then are not among them, and neither is what would have
 * been called directly.
 *
 * @param place - the service or connector, as the audit trail finds it
 */
export async function tryRules(
  rules: readonly CallRule[],
  place: Pick<AuditFilter, "service" | "connector">,
  store: Pick<Store, "auditSearch" | "users">,
): Promise<RuleTrial> {
  const types = [place.service === undefined ? "connection.used" : "service.called"];
  const events = await store.auditSearch.find({ ...place, types, limit: maximumCalls, terms: [] });
  const emails = await findEmails(events, store);
  const used = new Map<string, number>();
  // Limits count from the first call on.
  const tried = events.toReversed().map((event) => tryCall(rules, event, { emails, used }));
  const count = (outcome: TriedCall["outcome"]) => tried.filter((call) => call.outcome === outcome).length;
  return {
    calls: tried.length,
    from: tried[0]?.at ?? null,
    allowed: count("allow"),
    asked: count("ask"),
    refused: count("refuse"),
    unclear: count("unclear"),
    items: tried
      .filter(({ outcome }) => outcome !== "allow")
      .toReversed()
      .slice(0, maximumItems),
  };
}

async function findEmails(
  events: readonly AuditRecord[],
  { users }: Pick<Store, "users">,
): Promise<ReadonlyMap<string, string | null>> {
  const ids = [...new Set(events.flatMap(({ subject }) => subject ?? []))];
  const found = await Promise.all(
    ids.map(async (id) => [id, (await users.find(id))?.email ?? null] as const),
  );
  return new Map(found);
}

function tryCall(
  rules: readonly CallRule[],
  { id, at, subject, clientId, data }: AuditRecord,
  {
    emails,
    used,
  }: { readonly emails: ReadonlyMap<string, string | null>; readonly used: Map<string, number> },
): TriedCall {
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : "");
  const person = subject === null ? null : (emails.get(subject) ?? null);
  const call = {
    method: text("method"),
    host: text("host"),
    pathTemplate: text("pathTemplate"),
    at: new Date(at),
  };
  const who = { person: { id: subject ?? "", email: person }, app: { id: clientId ?? "" } };
  const replay =
    rules.length === 0
      ? ({ outcome: { type: "allow" }, rule: -1 } as const)
      : replayCall(rules, { ...call, ...who });
  return {
    eventId: id,
    at,
    method: call.method,
    host: call.host,
    path: call.pathTemplate,
    person,
    clientId,
    outcome: settle(replay, { used, person: subject ?? "", at: call.at }),
    rule: replay.rule + 1,
  };
}

/** Counts calls of a person in each period of a limit, as it would have. */
function settle(
  { outcome, rule }: Replay,
  { used, person, at }: { readonly used: Map<string, number>; readonly person: string; readonly at: Date },
): TriedCall["outcome"] {
  if (outcome.type !== "limit") return outcome.type;
  const name = `${String(rule)} ${person} ${String(readPeriod(outcome.per, at).startsAt.getTime())}`;
  const before = used.get(name) ?? 0;
  if (before >= outcome.calls) return outcome.beyond.type;
  used.set(name, before + 1);
  return "allow";
}
