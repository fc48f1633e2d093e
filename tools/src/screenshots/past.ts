import { randomBytes, randomUUID } from "node:crypto";
import { createEventStamp } from "authz-server/dist/audit/event-proof.js";
import type { AuditEvent } from "authz-server/dist/audit/events.js";
import { recordAllAudits } from "authz-server/dist/audit/record.js";
import { deriveEventKey } from "authz-server/dist/audit/seal.js";
import { openSession } from "authz-server/dist/sign-in/open-session.js";
import { openStore, type Store } from "authz-server/dist/store/store.js";
import type { DevelopmentSecrets } from "../development/secrets.js";
import { type Colleague, colleagues } from "./installation.js";

const hourMs = 3_600_000;
/** The server takes an event that is recorded later than a day after it happened for a forged one. */
const hours = 23;

/** Somebody who has signed in, and what their agent asks with. */
interface Employee {
  readonly userId: string;
  readonly grantId: string;
  readonly jkt: string;
}

interface Service {
  readonly resource: string;
  readonly read: string;
  /** What employees with the permission to read may not do. */
  readonly denied: string;
}

/**
 * What happened before somebody took pictures: colleagues signed in, their agents asked for things, and were refused some.
 *
 * The server's own code does and records it, with an earlier time than now; the running server then seals, counts and indexes it like
 * everything else.
 */
export async function livePast(
  postgresUrl: string,
  { sessionSecret }: Pick<DevelopmentSecrets, "sessionSecret">,
  now: Date,
): Promise<void> {
  const eventKey = deriveEventKey(Buffer.from(sessionSecret, "base64url"));
  const store = openStore({ postgresUrl, stampEvent: createEventStamp(eventKey) });
  try {
    const employees: Employee[] = [];
    for (const colleague of colleagues.toSorted((one, other) => other.hoursAgo - one.hoursAgo)) {
      // oxlint-disable-next-line no-await-in-loop -- in the order in which they came
      employees.push(await signIn(store, colleague, new Date(now.getTime() - colleague.hoursAgo * hourMs)));
    }
    const registered = (await store.resources.listEnabled()).filter(({ builtIn }) => !builtIn);
    const services = registered.map(
      ({ key, resource }): Service =>
        key === "invoices"
          ? { resource, read: "invoices:read", denied: "invoices:approve" }
          : { resource, read: "contracts:read", denied: "contracts:write" },
    );
    await recordAllAudits(store, [...eventsOf(employees, services, now)]);
  } finally {
    await store.close();
  }
}

/** As the callback of a sign-in does it, once the identity provider has said who this is. */
async function signIn(store: Store, { name, email, groups }: Colleague, now: Date): Promise<Employee> {
  const provider = await store.identityProviders.findByKey("acme");
  const groupProvider = await store.groupProviders.findByKey("acme-groups");
  if (provider === undefined || groupProvider === undefined) throw new Error("Acme has no provider.");
  const { userId } = await openSession(
    { subject: email, email, name, authTime: now, amr: ["pwd"] },
    {
      provider,
      claimed: { groupProvider, groups },
      askedAnewAt: null,
      input: {
        browser: { hash: randomBytes(32), session: undefined },
        userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/143.0 Safari/537.36",
        language: "en",
        requestId: randomUUID(),
      },
      store,
      now,
    },
  );
  return { userId, grantId: randomUUID(), jkt: randomBytes(32).toString("base64url") };
}

/** Older first; more in office hours than at night. */
function* eventsOf(
  employees: readonly Employee[],
  services: readonly Service[],
  now: Date,
): Generator<AuditEvent> {
  const random = createRandom(7);
  for (let hour = hours; hour >= 1; hour -= 1) {
    const begin = new Date(now.getTime() - hour * hourMs);
    const busy = Math.max(0.1, Math.sin(((begin.getUTCHours() - 5) / 14) * Math.PI));
    const count = Math.round(busy * (6 + random() * 8));
    const moments = Array.from({ length: count }, () => begin.getTime() + random() * hourMs);
    for (const moment of moments.toSorted((one, other) => one - other)) {
      const employee = pick(employees, random());
      // Some services are asked for more than others.
      const service = pick(services, random() * random());
      yield eventAt(new Date(moment), { employee, service, isDenied: random() < 0.07 });
    }
  }
}

function eventAt(
  at: Date,
  {
    employee: { userId, grantId, jkt },
    service: { resource, read, denied },
    isDenied,
  }: { readonly employee: Employee; readonly service: Service; readonly isDenied: boolean },
): AuditEvent {
  const asked = { at, subject: userId, clientId: "authz-cli", requestId: randomUUID() };
  if (!isDenied) {
    return {
      ...asked,
      type: "assertion.issued",
      outcome: "success",
      actor: { type: "user", id: userId },
      data: { grantId, tokenId: randomUUID(), resource, scopes: [read], jkt },
    };
  }
  return {
    ...asked,
    type: "token.refused",
    outcome: "denied",
    actor: { type: "client", id: "authz-cli" },
    data: {
      grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
      grantId,
      error: "invalid_scope",
      reason: "scope_not_assigned",
      resource,
      scopes: [denied],
    },
  };
}

function pick<T>(items: readonly T[], share: number): T {
  const item = items[Math.floor(share * items.length)];
  if (item === undefined) throw new RangeError("There is nothing to pick from.");
  return item;
}

/** Numbers from 0 to 1 that are the same at every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
