import { searchAuditEvents } from "../../audit/search-events.js";
import type { AuditEventType } from "../../audit/events.js";
import { dayMs } from "../../platform/durations.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import { notFound } from "../../registry/refusal.js";
import type { ListedGrant } from "../../store/grants.js";
import type { Store } from "../../store/store.js";
import type { Language } from "../../text/texts.js";
import { showEvents } from "../audit/show-event.js";
import { showClientName } from "../clients/show-client.js";
import { showStop } from "../stops/routes.js";
import type { Endings } from "./schemas.js";

/** Events of a person that say that something ended, or may not go on. */
const endingEvents: readonly AuditEventType[] = [
  "user.changed",
  "person.ended",
  "person.paused",
  "person.resumed",
  "session.ended",
  "grant.revoked",
  "access.withdrawn",
  "connection.reconnect_required",
  "connection.removed",
  "stop.set",
  "stop.lifted",
];

const shownDays = 30;
const shownEvents = 50;

/** An assertion may be redeemed at a service until it expires, for a token that lives on from then. */
const tailSeconds = lifetimes.identityAssertion + lifetimes.accessToken;

/**
 * What of a person has ended, by what, and what services may still accept. Nothing of it is written for this: the ends are events, and
 * what may still be valid follows from when an app ended and how long tokens live.
 *
 * @throws {Refusal} `not_found`
 */
export async function loadEndings(
  userId: string,
  { store, now, language }: { readonly store: Store; readonly now: Date; readonly language: Language },
): Promise<Endings> {
  const [standing, stops, page, ended, connections] = await Promise.all([
    store.users.findStanding(userId),
    store.stops.listFor(userId),
    searchAuditEvents(store, {
      subject: { id: userId },
      types: endingEvents,
      from: new Date(now.getTime() - shownDays * dayMs),
      limit: shownEvents,
    }),
    store.grants.listEndedSince({ userId, since: new Date(now.getTime() - tailSeconds * 1000) }),
    store.connections.listOwn(userId),
  ]);
  if (standing === undefined) throw notFound("person");
  const tokens = ended.map(showTail);
  return {
    enabled: standing.enabled,
    disabledBy: standing.disabledBy,
    pausedAt: standing.pausedAt?.toISOString() ?? null,
    stops: stops.map(showStop),
    events: await showEvents(store, page.items, language),
    tokens,
    validUntil:
      tokens
        .map(({ validUntil }) => validUntil)
        .sort()
        .at(-1) ?? null,
    blockedConnections: connections.filter(({ state }) => state === "reconnect_required").length,
  };
}

function showTail({ id, client, service, endedAt }: ListedGrant & { readonly endedAt: Date }) {
  return {
    grantId: id,
    client: showClientName(client),
    service: service && { key: service.key, name: service.name },
    endedAt: endedAt.toISOString(),
    validUntil: new Date(endedAt.getTime() + tailSeconds * 1000).toISOString(),
  };
}
