import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";
import { jkt, resourceRecord } from "../support/records.js";

let server: AdminServer;
let lina: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  lina = await server.signIn("Lina");
  await server.context.store.resources.save(resourceRecord({ id: randomUUID() }), new Date(server.clock()));
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.database.query("DELETE FROM stops");
  await server.database.query("DELETE FROM grants");
});

async function createGrant(person: SignedInPerson): Promise<string> {
  const id = randomUUID();
  const now = server.clock() - 60_000;
  await server.database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at)
    VALUES ($1, $2, 'authz-cli', $3, '{openid}', $4, '{pwd}', $4, $5)`,
    [id, person.user.id, jkt, new Date(now), new Date(now + 3600 * 1000)],
  );
  return id;
}

const set = (body: object, query = "") => server.request("POST", `/stops${query}`, { body });
const listed = async (query = "") => {
  const { body } = await server.request("GET", `/stops${query}`);
  return body["items"] as Record<string, unknown>[];
};
const service = async () => {
  const [resource] = await server.context.store.resources.listEnabled();
  return resource?.key ?? "";
};

describe("a stop", () => {
  test("is previewed with what it ends, and nothing of that lasts", async () => {
    await createGrant(lina);
    await createGrant(server.ada);
    const notesOf = async (body: object) => {
      const answer = await set(body, "?preview=true");
      return (answer.body["impact"] as { notes: string[] }).notes;
    };
    expect(await notesOf({ kind: "user", user: lina.user.id })).toEqual([
      "1 signed-in app ends. 1 person is affected.",
    ]);
    expect(await notesOf({ kind: "client", client: "authz-cli" })).toEqual([
      "2 signed-in apps end. 2 people are affected.",
    ]);
    expect(await notesOf({ kind: "all" })).toEqual(["2 signed-in apps end. 2 people are affected."]);
    expect(await listed()).toEqual([]);
    expect(await server.audit("stop.set")).toEqual([]);
  });

  test("is set, listed by what it is about, shown, and started again, with an event each", async () => {
    const bodies = [
      { kind: "all" },
      { kind: "user", user: lina.user.id },
      { kind: "client", client: "authz-cli" },
      { kind: "app", user: lina.user.id, client: "authz-cli" },
      { kind: "service", service: await service() },
    ];
    for (const body of bodies) {
      const answer = await set(body);
      expect([answer.status, answer.body["kind"]]).toEqual([201, body.kind]);
      expect(answer.body).toMatchObject({
        setBy: { id: server.ada.user.id, name: "ada@acme.example" },
        own: false,
      });
    }
    const kinds = async (query: string) => (await listed(query)).map(({ kind }) => String(kind)).sort();
    expect(await kinds("")).toEqual(["all", "app", "client", "service", "user"]);
    expect(await kinds(`?user=${lina.user.id}`)).toEqual(["app", "user"]);
    expect(await kinds("?client=authz-cli")).toEqual(["app", "client"]);
    expect(await kinds(`?service=${await service()}`)).toEqual(["service"]);
    for (const { id } of await listed()) {
      const path = `/stops/${String(id)}`;
      expect((await server.request("GET", path)).status).toBe(200);
      const preview = await server.request("DELETE", `${path}?preview=true`);
      expect(preview.body["impact"]).toMatchObject({ notes: [expect.stringContaining("signed in again")] });
      expect((await server.request("DELETE", path)).status).toBe(204);
      expect((await server.request("DELETE", path)).status).toBe(404);
      expect((await server.request("GET", path)).status).toBe(404);
    }
    expect((await server.audit("stop.set")).map(({ data }) => data["kind"])).toEqual(
      bodies.map(({ kind }) => kind),
    );
    expect(await server.audit("stop.lifted")).toHaveLength(5);
  });

  test.each([
    ["a person", { kind: "user", user: randomUUID() }, 404],
    ["a client", { kind: "client", client: "nobody" }, 404],
    ["an app of nobody", { kind: "app", user: randomUUID(), client: "authz-cli" }, 404],
    ["a service", { kind: "service", service: "nothing" }, 404],
    ["a kind", { kind: "country" }, 400],
    ["more than it takes", { kind: "all", user: randomUUID() }, 400],
  ] as const)("that names %s that is not there is refused", async (_name, body, status) => {
    expect((await set(body)).status).toBe(status);
    expect(await listed()).toEqual([]);
  });

  test("does not close the console to whoever set it", async () => {
    await set({ kind: "all" });
    await set({ kind: "user", user: server.ada.user.id });
    expect((await server.request("GET", "/users")).status).toBe(200);
  });

  test("ends what is counted as signed in", async () => {
    await createGrant(lina);
    const grantsOf = async () => (await server.request("GET", `/users/${lina.user.id}`)).body["grants"];
    expect(await grantsOf()).toBe(1);
    await set({ kind: "user", user: lina.user.id });
    expect(await grantsOf()).toBe(0);
  });
});

describe("what of a person has ended", () => {
  const endings = async (id = lina.user.id) => (await server.request("GET", `/users/${id}/endings`)).body;

  test("is nothing at first", async () => {
    const ada = await endings(server.ada.user.id);
    expect(ada).toMatchObject({ enabled: true, disabledBy: null, tokens: [], validUntil: null });
  });

  test("is said with when, by whom, and what may still be valid until when", async () => {
    const grantId = await createGrant(lina);
    const { version } = (await server.request("GET", `/users/${lina.user.id}`)).body;
    const path = `/users/${lina.user.id}`;
    await server.request("PATCH", path, { body: { enabled: false }, version: Number(version) });
    const { events, tokens, ...rest } = await endings();
    expect(rest).toMatchObject({ enabled: false, disabledBy: "administrator", stops: [] });
    expect(tokens).toEqual([
      {
        grantId,
        client: expect.objectContaining({ id: "authz-cli" }) as object,
        service: null,
        endedAt: "2026-11-20T12:00:00.000Z",
        validUntil: "2026-11-20T12:10:00.000Z",
      },
    ]);
    expect(rest["validUntil"]).toBe("2026-11-20T12:10:00.000Z");
    const types = (events as { type: string; description: string }[]).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["person.ended", "grant.revoked", "session.ended"]));
  });

  test("has what a stop ended, and what is stopped", async () => {
    const bruno = await server.signIn("Bruno");
    await createGrant(bruno);
    await set({ kind: "app", user: bruno.user.id, client: "authz-cli" });
    const { tokens, stops, events } = await endings(bruno.user.id);
    expect(tokens).toHaveLength(1);
    expect(stops).toMatchObject([{ kind: "app" }]);
    expect(events).toMatchObject([
      { description: expect.stringMatching(/stopped .* for bruno@acme\.example\./) as string },
    ]);
  });

  test("of nobody is not there", async () => {
    expect((await server.request("GET", `/users/${randomUUID()}/endings`)).status).toBe(404);
  });
});
