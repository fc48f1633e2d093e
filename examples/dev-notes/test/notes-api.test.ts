import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NotesWithApp, startNotesWithApp } from "./support/notes-with-app.js";

let world: NotesWithApp;

beforeAll(async () => {
  world = await startNotesWithApp();
});

afterAll(async () => {
  await world.close();
});

describe("the API of Notes", () => {
  let token: string;

  beforeAll(async () => {
    token = (await world.connect(await world.configure())).access_token;
  });

  test("lists, creates, reads and deletes the notes of one account", async () => {
    const created = await world.call(token, "/api/notes", {
      method: "POST",
      body: { title: "Tea", text: "Green" },
    });
    expect(created).toMatchObject({
      status: 201,
      body: { title: "Tea", text: "Green", createdBy: "Acme <dev>" },
    });
    const path = created.headers.get("location") ?? "";
    expect((await world.call(token, path)).body).toEqual(created.body);
    expect(await world.call(token, "/api/notes")).toMatchObject({
      status: 200,
      body: { owner: "ada@home.example", notes: [created.body, { title: "Bernoulli numbers" }, {}] },
    });
    expect((await world.call(token, path, { method: "DELETE" })).status).toBe(204);
    expect((await world.call(token, path)).status).toBe(404);
  });

  test("says whose account it is", async () => {
    expect((await world.call(token, "/api/account")).body).toEqual({
      id: "ada-home",
      name: "Ada Lovelace",
      email: "ada@home.example",
    });
  });

  test("keeps accounts apart", async () => {
    const other = await world.connect(await world.configure(), { account: "bruno-home" });
    expect((await world.call(other.access_token, "/api/notes/n1")).status).toBe(404);
    expect((await world.call(token, "/api/notes/n1")).status).toBe(200);
  });

  test("asks for the scope that is missing", async () => {
    const reader = await world.connect(await world.configure(), { scope: "notes:read" });
    const refused = await world.call(reader.access_token, "/api/notes", {
      method: "POST",
      body: { title: "No" },
    });
    expect(refused).toMatchObject({ status: 403, body: { error: "insufficient_scope" } });
    expect(refused.headers.get("www-authenticate")).toContain('scope="notes:write"');
  });

  test.each([
    { name: "a token that was never issued", path: "/api/notes", options: {}, bearer: "no", status: 401 },
    { name: "a path that is not there", path: "/api/letters", options: {}, status: 404 },
    { name: "a method that is not there", path: "/api/notes", options: { method: "PUT" }, status: 405 },
    { name: "no JSON", path: "/api/notes", options: { method: "POST" }, status: 400 },
    {
      name: "a note without a title",
      path: "/api/notes",
      options: { method: "POST", body: { text: "?" } },
      status: 400,
    },
    {
      name: "a body that is too large",
      path: "/api/notes",
      options: { method: "POST", body: { title: "Long", text: "x".repeat(70_000) } },
      status: 400,
    },
  ])("refuses $name", async ({ path, options, bearer, status }) => {
    expect((await world.call(bearer ?? token, path, options)).status).toBe(status);
  });
});
