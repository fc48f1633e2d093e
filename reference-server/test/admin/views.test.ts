import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";

let server: AdminServer;
let bea: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  bea = await server.signIn("Bea", ["authz:administer"]);
});
afterAll(() => server.close());

const disabled = { list: "users", name: "Disabled", query: "enabled=false&sort=-lastSignedInAt" };
const save = (body: object, as = server.ada) => server.request("PUT", "/views", { body, as });
const listed = async (list = "users", as = server.ada) =>
  (await server.request("GET", `/views?list=${list}`, { as })).body["items"] as Record<string, string>[];

describe("a saved view", () => {
  test("is its owner's alone, and follows them into every browser", async () => {
    const before = await server.audit();
    const saved = await save(disabled);
    expect(saved).toMatchObject({ status: 200, body: { name: "Disabled", query: disabled.query } });
    await save({ ...disabled, list: "sessions/devices", name: "Ended", query: "state=ended" });
    expect(await listed()).toEqual([saved.body]);
    expect(await listed("users", bea)).toEqual([]);
    const elsewhere = await server.signIn("Ada");
    expect(await listed("users", elsewhere)).toEqual([saved.body]);
    expect(await server.audit()).toEqual(before);
  });

  test("is replaced by one of the same name, and removed by its owner only", async () => {
    const saved = await save({ ...disabled, query: "enabled=false" });
    expect(await listed()).toEqual([saved.body]);
    expect(saved.body["query"]).toBe("enabled=false");
    const path = `/views/${String(saved.body["id"])}`;
    expect((await server.request("DELETE", path, { as: bea })).status).toBe(404);
    expect((await server.request("DELETE", path)).status).toBe(204);
    expect((await server.request("DELETE", path)).status).toBe(404);
    expect(await listed()).toEqual([]);
  });

  test.each([
    { name: "no name", change: { name: " " }, path: "name" },
    { name: "a long name", change: { name: "n".repeat(81) }, path: "name" },
    { name: "a NUL in its name", change: { name: "a\0" }, path: "name" },
    { name: "the path of no list", change: { list: "../users" }, path: "list" },
    { name: "an address", change: { query: "https://evil.example/" }, path: "query" },
    { name: "a fragment", change: { query: "q=a#b" }, path: "query" },
    { name: "a long query", change: { query: "q".repeat(2001) }, path: "query" },
  ])("with $name is refused", async ({ change, path }) => {
    const { status, body } = await save({ ...disabled, ...change });
    expect([status, body["error"]]).toEqual([400, "invalid_request"]);
    expect(body["fields"]).toEqual([{ path, message: expect.any(String) as string }]);
  });

  test("is the fiftieth at most, also when several come at once", async () => {
    for (let number = 1; number <= 48; number++) {
      await save({ ...disabled, name: `View ${number}` });
    }
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map(async (name) => (await save({ ...disabled, name })).status),
    );
    expect(answers.sort((one, other) => one - other)).toEqual([200, 200, 400, 400]);
    expect(await listed()).toHaveLength(50);
    expect((await save({ ...disabled, name: "View 1", query: "q=b" })).status).toBe(200);
    expect((await save({ ...disabled, list: "scopes" })).status).toBe(200);
  });
});
