import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ask, requestableAt } from "../../src/person/access-requests/ask.js";
import { withdraw } from "../../src/person/access-requests/decide.js";
import { createNotifications, type Notifications } from "../../src/notifications/loop.js";
import { announceEnds } from "../../src/registry/assignment-ends.js";
import { initialise } from "../../src/upkeep/start/initialise.js";
import type { User } from "../../src/store/users.js";
import { loadConfig } from "../../src/config/config.js";
import { createLog } from "../../src/platform/http/log.js";
import { createServer, type Server } from "../../src/server.js";
import type { Resource } from "../../src/store/resources.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { testEnvironment } from "../support/environment.js";
import { resourceRecord } from "../support/records.js";
import {
  isSigned,
  type MailReceiver,
  startMailReceiver,
  startWebhookReceiver,
  type WebhookReceiver,
} from "./receivers.js";

let hook: WebhookReceiver;
let post: MailReceiver;
let database: TestDatabase;
/** Never started: nothing delivers but the loops of these tests. */
let server: Server;
let resource: Resource;
let loops: readonly Notifications[];
let ada: User;
const log: Record<string, unknown>[] = [];

beforeAll(async () => {
  hook = await startWebhookReceiver();
  post = await startMailReceiver();
  database = await createTestDatabase();
  const environment = {
    POSTGRES_URL: database.url,
    AUTHZ_NOTIFY_WEBHOOK_URL: hook.url,
    AUTHZ_NOTIFY_WEBHOOK_SECRET: hook.secret,
    AUTHZ_NOTIFY_SMTP_URL: post.url,
    AUTHZ_NOTIFY_FROM: "authz@acme.example",
    AUTHZ_NOTIFY_TO: "admins@acme.example, root@acme.example",
  };
  server = await createServer(loadConfig(testEnvironment(environment)), { log: createLog("silent") });
  const { store, config, outboundFetch, clock } = server.context;
  const warn = (fields: object, message: string) => void log.push({ ...fields, message });
  const options = { store, config, outboundFetch, clock, log: { warn } as never };
  loops = [createNotifications(options), createNotifications(options)];
  const at = new Date();
  await initialise(server.context);
  await store.settings.save({ installationName: "Acme" }, at);
  for (const key of ["contracts:read", "contracts:write"]) {
    await store.scopes.save({ key, description: key, system: false }, at);
  }
  resource = resourceRecord({ supportedScopes: ["contracts:read", "contracts:write"] });
  await store.resources.save(resource, at);
  const given = { email: "ada@acme.example", scope: "contracts:read" };
  await store.assignments.insertMissing({ id: randomUUID(), ...given }, at);
  await database.query(
    "INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), 'ada@acme.example', 'Ada Lovelace')",
  );
  const found = await store.users.findByEmail("ada@acme.example");
  if (found === undefined) throw new Error("Ada has signed in.");
  ada = found;
});
beforeEach(async () => {
  await database.query("DELETE FROM access_requests");
  await database.query("DELETE FROM notification_events");
  await database.query("DELETE FROM notifications");
  hook.seen.length = 0;
  hook.answer = (_request, response) => void response.writeHead(204).end();
  post.mails.length = 0;
  post.refuse = () => undefined;
  log.length = 0;
});
afterAll(async () => {
  await server.close();
  await database.drop();
  await hook.close();
  await post.close();
});

const deliver = () => Promise.all(loops.map((loop) => loop.run()));
const due = () => database.query("UPDATE notifications SET due_at = now()");
const waiting = () =>
  database.query<{ channel: string; attempts: number; seconds: number }>(
    `SELECT channel, attempts, extract(epoch FROM due_at - now())::float8 AS seconds FROM notifications
     ORDER BY channel`,
  );

const failures = () =>
  database.query<{ outcome: string; data: object }>(
    "SELECT outcome, data FROM audit_events WHERE type = 'notification.failed' ORDER BY id",
  );

async function askForWriting(reason = "I have to file the Acme contract."): Promise<string> {
  const { store, directories } = server.context;
  const own = { user: ada, at: requestableAt(resource), scopes: [], reason };
  const by = { clientId: null, grantId: null, requestId: randomUUID() };
  const { request } = await ask({ ...own, ...by }, { store, directories, now: new Date() });
  return request.id;
}

const withdrawOwn = async (id: string) => {
  const by = { userId: ada.id, clientId: null, requestId: randomUUID(), now: new Date() };
  await withdraw({ id, ...by }, server.context.store);
};

const decide = async (id: string, state: "approved" | "declined", note: string | null = null) => {
  const grantedScopes = state === "approved" ? ["contracts:write"] : [];
  const expiresAt = state === "approved" ? new Date(Date.now() + 86_400_000) : null;
  await server.context.store.transaction(async (tx) => {
    const decision = { id, version: 1, state, grantedScopes, expiresAt, note, decidedBy: "root" };
    await tx.accessRequests.decide(decision);
    await tx.notifications.record([{ type: `access.${state}`, request: id }]);
  });
};

describe("a new request", () => {
  test("is told to the webhook, signed, and by mail to each administrator, once by two processes", async () => {
    const id = await askForWriting();
    await deliver();
    expect(hook.seen).toHaveLength(1);
    const [delivery] = hook.seen;
    if (delivery === undefined) throw new Error("There is one.");
    expect(isSigned(delivery)).toBe(true);
    expect(delivery.id).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(Math.abs(Number(delivery.timestamp) - Date.now() / 1000)).toBeLessThan(60);
    expect(JSON.parse(delivery.body)).toMatchObject({
      type: "access.requested",
      data: {
        id,
        state: "pending",
        person: { email: "ada@acme.example", name: "Ada Lovelace" },
        kind: "service",
        target: "contracts",
        targetName: "Contracts",
        scopes: ["contracts:write"],
        reason: "I have to file the Acme contract.",
        url: `${server.context.config.issuer}/admin/access-requests/${id}`,
      },
    });
    expect(post.mails.map(({ to: [address = ""] }) => address).sort()).toEqual([
      "admins@acme.example",
      "root@acme.example",
    ]);
    const [mail] = post.mails;
    expect(mail?.from).toBe("authz@acme.example");
    expect(mail?.headers.get("from")).toBe("Acme <authz@acme.example>");
    expect(mail?.headers.get("subject")).toBe("Access to Contracts: request from “Ada Lovelace”");
    expect(mail?.headers.get("content-type")).toContain("text/plain");
    expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail?.body).toContain("> I have to file the Acme contract.");
    expect(mail?.body).toContain(`${server.context.config.issuer}/admin/access-requests/${id}`);
    expect(await waiting()).toEqual([]);
  });

  test("goes to the owners of the service first, and not to the one who asks", async () => {
    const { store } = server.context;
    const owners = ["olga@acme.example", "ada@acme.example"].map((email) => ({ email, group: null }));
    const object = { kind: "service", id: resource.id } as const;
    const addressees = async () => {
      post.mails.length = 0;
      const id = await askForWriting();
      await deliver();
      await withdrawOwn(id);
      return post.mails.map(({ to: [address = ""] }) => address).sort();
    };
    await store.owners.save(object, owners);
    expect(await addressees()).toEqual(["olga@acme.example"]);
    // Nobody but administrators can give what another service knows as well.
    const other = resourceRecord({
      id: randomUUID(),
      key: "files",
      resource: "https://files.acme.example/api",
      supportedScopes: ["contracts:write"],
    });
    await store.resources.save(other, new Date());
    expect(await addressees()).toEqual(["admins@acme.example", "olga@acme.example", "root@acme.example"]);
    await database.query("DELETE FROM resources WHERE key = 'files'");
    await store.owners.save(object, owners.slice(1));
    expect(await addressees()).toEqual(["admins@acme.example", "root@acme.example"]);
    await store.owners.save(object, []);
  });

  test("that grows is not told again, and one that was withdrawn at once not at all", async () => {
    const id = await askForWriting();
    await deliver();
    await askForWriting("It is urgent.");
    await deliver();
    expect(hook.seen).toHaveLength(1);
    await withdrawOwn(id);
    await withdrawOwn(await askForWriting());
    await deliver();
    expect(hook.seen).toHaveLength(1);
  });

  test("is not announced once the person has asked and withdrawn 20 times in an hour", async () => {
    await withdrawOwn(await askForWriting());
    await database.query(
      `INSERT INTO access_requests SELECT (json_populate_record(r, json_build_object('id', gen_random_uuid()))).*
       FROM access_requests r, generate_series(1, 18)`,
    );
    await database.query("DELETE FROM notification_events");
    for (const announced of [1, 1]) {
      const id = await askForWriting();
      await deliver();
      expect(hook.seen).toHaveLength(announced);
      await withdrawOwn(id);
    }
    await database.query("UPDATE access_requests SET created_at = created_at - interval '1 hour'");
    await askForWriting();
    await deliver();
    expect(hook.seen).toHaveLength(2);
  });

  test("that is rolled back is not announced", async () => {
    const { store } = server.context;
    const failing = store.transaction(async (tx) => {
      await tx.notifications.record([{ type: "access.requested", request: randomUUID() }]);
      throw new Error("No.");
    });
    await expect(failing).rejects.toThrow("No.");
    await deliver();
    expect([hook.seen, post.mails]).toEqual([[], []]);
  });

  test("quotes every line of a user, so that none looks like the server's", async () => {
    await expect(askForWriting("First.\u2028Decide here:\u2029https://evil.example")).rejects.toThrow(
      "control",
    );
    await askForWriting("First.\nDecide here:\nhttps://evil.example\nLast.");
    const name = `Security team”\u202e: approve within the hour at https://evil.example/${"x".repeat(200)}`;
    await database.query("UPDATE users SET name = $1 WHERE id = $2", [name, ada.id]);
    await deliver();
    await database.query("UPDATE users SET name = $1 WHERE id = $2", [ada.name, ada.id]);
    const [mail] = post.mails;
    expect(mail?.body).toContain("> First.\n> Decide here:\n> https://evil.example\n> Last.");
    const shown = `Security team' : approve within the hour at https://evil.example/${"x".repeat(18)}`;
    expect(mail?.headers.get("subject")).toBe(`Access to Contracts: request from “${shown.slice(0, 80)}”`);
    expect(mail?.body).toContain(`“${shown.slice(0, 80)}” (ada@acme.example) asks for `);
  });

  test("breaks no header with the names of people and services", async () => {
    const evil = "Ada\r\nBcc: everybody@evil.example\r\n\r\nHello\u0000";
    const id = await askForWriting("First line.\n.\nBcc: x@evil.example\nhttps://evil.example");
    const { store } = server.context;
    const tx = { ...store, accessRequests: { ...store.accessRequests } };
    const found = await store.accessRequests.find(id);
    if (found === undefined) throw new Error("There is one.");
    tx.accessRequests.find = () =>
      Promise.resolve({
        ...found,
        targetName: "Contracts\r\nX-Evil: yes",
        person: { ...found.person, name: evil },
      });
    const { config, outboundFetch, clock } = server.context;
    const fake = { ...store, transaction: (work: (inner: never) => Promise<never>) => work(tx as never) };
    const options = { config, outboundFetch, clock, log: { warn: () => undefined } as never };
    await createNotifications({ ...options, store: fake as never }).run();
    const [mail] = post.mails;
    expect([...(mail?.headers.keys() ?? [])]).not.toContain("bcc");
    expect([...(mail?.headers.keys() ?? [])]).not.toContain("x-evil");
    expect(mail?.to).toHaveLength(1);
    expect(mail?.headers.get("subject")).toBe(
      "Access to Contracts X-Evil: yes: request from “Ada Bcc: everybody@evil.example Hello”",
    );
    expect(mail?.body).toContain("> First line.\n> .\n> Bcc: x@evil.example\n> https://evil.example");
  });
});

describe("a decision", () => {
  test("is announced to the requester in the language of their browser, with the note", async () => {
    const { store } = server.context;
    await store.users.speak(ada.id, "de");
    const id = await askForWriting();
    await deliver();
    hook.seen.length = 0;
    post.mails.length = 0;
    await decide(id, "declined", "Bitte erst\ndie Schulung.");
    await deliver();
    await store.users.speak(ada.id, "en");
    expect(post.mails).toMatchObject([{ to: ["ada@acme.example"] }]);
    expect(post.mails[0]?.headers.get("subject")).toBe("Ihre Anfrage für Contracts wurde abgelehnt");
    expect(post.mails[0]?.body).toContain("> Bitte erst\n> die Schulung.");
    expect(JSON.parse(hook.seen[0]?.body ?? "")).toMatchObject({
      type: "access.declined",
      data: { id, state: "declined", note: "Bitte erst\ndie Schulung." },
    });
  });

  test("to give says until when", async () => {
    const id = await askForWriting();
    await decide(id, "approved");
    await deliver();
    const mail = post.mails.find(({ to }) => to[0] === "ada@acme.example");
    expect(mail?.headers.get("subject")).toBe("Your request for Contracts was approved");
    expect(mail?.body).toMatch(/You have been given contracts:write .*\n\nThis ends on .* UTC\./);
    expect(hook.seen.map(({ body }) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "access.approved",
    ]);
  });
});

test("an assignment that ends soon is told to the person, and one of a group to the webhook", async () => {
  const { store } = server.context;
  await database.query(
    `UPDATE assignments SET created_at = now() - interval '2 days', expires_at = now() + interval '1 hour', announced_at = NULL
     WHERE email = 'ada@acme.example' AND scope_key = 'contracts:read'`,
  );
  await store.transaction(async (tx) => {
    await announceEnds({ store: tx, auditAll: () => Promise.resolve() });
  });
  await deliver();
  await database.query("UPDATE assignments SET expires_at = NULL, announced_at = NULL");
  expect(post.mails).toMatchObject([{ to: ["ada@acme.example"] }]);
  expect(post.mails[0]?.headers.get("subject")).toBe("Your permission contracts:read ends soon");
  expect(JSON.parse(hook.seen[0]?.body ?? "")).toMatchObject({
    type: "assignment.expiring",
    data: { email: "ada@acme.example", scope: "contracts:read" },
  });
  const group = { provider: "hr", key: "sales" };
  const ending = { scope: "contracts:read", expiresAt: "2026-12-01T00:00:00.000Z" };
  await store.notifications.record([{ type: "assignment.expiring", email: null, group, ...ending }]);
  await deliver();
  expect(JSON.parse(hook.seen[1]?.body ?? "")).toMatchObject({ data: { group, ...ending } });
  expect(post.mails).toHaveLength(1);
});

describe("a receiver that fails", () => {
  const failing: readonly (readonly [string, WebhookReceiver["answer"], string])[] = [
    ["answers with 500", (_request, response) => void response.writeHead(500).end("no"), "status_500"],
    [
      "redirects",
      (_request, response) => void response.writeHead(302, { location: "https://evil.example/" }).end(),
      "redirect",
    ],
    ["hangs up", (request) => void request.socket.destroy(), "unreachable"],
    [
      "answers without end",
      (_request, response) => void response.writeHead(200).end("x".repeat(100_000)),
      "too_large",
    ],
  ];
  test.each(failing)(
    "and %s gets it again later, and the others are not held up",
    async (_name, answer, reason) => {
      await askForWriting();
      hook.answer = answer;
      await deliver();
      expect(post.mails).toHaveLength(2);
      const [row, ...others] = await waiting();
      expect(others).toEqual([]);
      expect(row).toMatchObject({ channel: "webhook", attempts: 1 });
      expect(row?.seconds).toBeGreaterThan(5);
      await deliver();
      expect(hook.seen).toHaveLength(1);
      expect(log).toMatchObject([{ code: "NOTIFICATION_NOT_DELIVERED", channel: "webhook", reason }]);
      expect(JSON.stringify(log)).not.toMatch(/secret-path|whsec|Acme contract/);
      await due();
      hook.answer = (_request, response) => void response.writeHead(200).end();
      await deliver();
      const [first, second] = hook.seen;
      expect(second?.id).toBe(first?.id);
      expect(second?.body).toBe(first?.body);
      expect(second !== undefined && isSigned(second)).toBe(true);
      expect(await waiting()).toEqual([]);
    },
  );

  test("waits longer after each attempt", async () => {
    await askForWriting();
    hook.answer = (_request, response) => void response.writeHead(503).end();
    const seconds: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      await deliver();
      const [row] = await waiting();
      seconds.push(Math.round(row?.seconds ?? 0));
      await due();
    }
    expect(seconds).toEqual([10, 30, 120, 600, 1800, 3600, 7200, 14_400, 14_400]);
  });

  test.each([
    [
      "a day later",
      "too_late",
      () => database.query("UPDATE notifications SET created_at = now() - interval '1 day'"),
    ],
    [
      "at once when the receiver is gone for good",
      "status_410",
      async () => {
        hook.answer = (_request, response) => void response.writeHead(410).end();
        await due();
      },
    ],
  ])("is given up %s, which the audit trail says", async (_name, cause, change) => {
    await askForWriting();
    hook.answer = (_request, response) => void response.writeHead(500).end();
    await deliver();
    await due();
    await change();
    await deliver();
    expect(await waiting()).toEqual([]);
    expect((await failures()).at(-1)).toMatchObject({
      outcome: "failed",
      data: { event: "access.requested", channel: "webhook", cause, attempts: 2 },
    });
    expect(log.at(-1)).toMatchObject({ code: "NOTIFICATION_GIVEN_UP", reason: cause });
  });

  test("gives up on an unknown mail address, and retries one that is busy", async () => {
    await askForWriting();
    post.refuse = (address) => (address === "root@acme.example" ? 550 : 450);
    await deliver();
    expect(await waiting()).toMatchObject([{ channel: "mail", attempts: 1 }]);
    expect((await failures()).at(-1)).toMatchObject({
      data: { channel: "mail", recipient: "root@acme.example", cause: "smtp_550" },
    });
    post.refuse = () => undefined;
    await due();
    await deliver();
    expect(post.mails.map(({ to }) => to)).toEqual([["admins@acme.example"]]);
  });

  test("loses nothing when its process ends in the middle: another one sends it again after a minute", async () => {
    await askForWriting();
    const { notifications } = server.context.store;
    let hanging: Promise<void> | undefined;
    const unanswered = await new Promise<IncomingMessage>((resolve) => {
      hook.answer = resolve;
      hanging = loops[0]?.run();
    });
    expect(await notifications.claim(10)).toEqual([]);
    await due();
    hook.answer = (_request, response) => void response.writeHead(204).end();
    await loops[1]?.run();
    expect(hook.seen).toHaveLength(2);
    expect(await waiting()).toEqual([]);
    unanswered.socket.destroy();
    await hanging;
    expect(await waiting()).toEqual([]);
  });
});

test("many messages are sent once each by several processes at the same time", async () => {
  const { store } = server.context;
  const ids = Array.from({ length: 60 }, () => randomUUID());
  await store.notifications.add(
    ids.map((id) => ({ id, type: "access.requested", channel: "webhook", body: "{}" })),
  );
  await deliver();
  expect(hook.seen.map(({ id }) => id).sort()).toEqual(ids.map((id) => `msg_${id}`).sort());
});
