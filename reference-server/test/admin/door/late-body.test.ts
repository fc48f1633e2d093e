import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../../support/admin.js";

let server: AdminServer;
let address: string;

beforeAll(async () => {
  server = await createAdminServer({ AUTHZ_PORT: "0" });
  address = await server.start();
});
afterAll(() => server.close());

const giveAdministration = (email: string) => JSON.stringify({ email, scope: "authz:administer" });

/** Sends everything but the last byte of the body. The server looks at who asks as soon as it has the head. */
async function begin(person: SignedInPerson, body: string): Promise<ClientRequest> {
  const { hostname, port } = new URL(address);
  const headers = { ...person.headers, "content-type": "application/json", "content-length": body.length };
  const path = "/api/admin/v1/assignments";
  const sent = request({
    hostname,
    port,
    method: "POST",
    path,
    headers: { ...headers, expect: "100-continue" },
  });
  sent.flushHeaders();
  await once(sent, "continue");
  sent.write(body.slice(0, -1));
  return sent;
}

async function finish(sent: ClientRequest): Promise<number | undefined> {
  const answered = once(sent, "response") as Promise<[IncomingMessage]>;
  sent.end("}");
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

async function isAdministrator(email: string): Promise<boolean> {
  const rules = await server.context.store.assignments.listByEmail(email);
  return rules.some(({ scope }) => scope === "authz:administer");
}

/** What an administrator does to another one, whose request is on its way meanwhile. */
const endings = [
  {
    name: "whose permission was taken away",
    person: "Bruno",
    status: 403,
    end: async ({ user }: SignedInPerson) => {
      const { store } = server.context;
      const rules = await store.assignments.listByEmail(user.email ?? "");
      const { id = "" } = rules.find(({ scope }) => scope === "authz:administer") ?? {};
      return await server.request("DELETE", `/assignments/${id}`, { version: 1 });
    },
  },
  {
    name: "who was disabled",
    person: "Clara",
    status: 401,
    end: async ({ user }: SignedInPerson) => {
      const { body } = await server.request("GET", `/users/${user.id}`);
      const version = Number(body["version"]);
      return await server.request("PATCH", `/users/${user.id}`, { body: { enabled: false }, version });
    },
  },
  {
    name: "whose session was ended",
    person: "Dora",
    status: 401,
    end: async ({ session }: SignedInPerson) => await server.request("DELETE", `/sessions/${session.id}`),
  },
];

describe("a request whose body comes late", () => {
  test.each(endings)("changes nothing for somebody $name meanwhile", async ({ person, status, end }) => {
    const somebody = await server.signIn(person, ["authz:administer"]);
    const email = `${person.toLowerCase()}2@acme.example`;
    const sent = await begin(somebody, giveAdministration(email));
    expect((await end(somebody)).status).toBeLessThan(300);
    expect(await finish(sent)).toBe(status);
    expect(await isAdministrator(email)).toBe(false);
  });

  test("counts for an administrator", async () => {
    const sent = await begin(server.ada, giveAdministration("erik@acme.example"));
    expect(await finish(sent)).toBe(201);
    expect(await isAdministrator("erik@acme.example")).toBe(true);
  });
});
