import { afterEach, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../support/server.js";

let server: TestServer;
afterEach(() => server.close());

test("while the database is away requests get 503, and the same process recovers", async () => {
  server = await createTestServer();
  const { app, context, database } = server;
  app.get("/api/settings", () => context.store.settings.get());
  app.get("/api/transaction", () => context.store.transaction((store) => store.settings.get()));
  app.get("/api/prepared", () => context.store.assignments.listByEmail("ada@acme.example"));
  await app.listen({ port: 0, host: "127.0.0.1" });
  const statuses = async () => {
    const urls = ["/api/settings", "/api/transaction", "/api/prepared", "/.well-known/openid-configuration"];
    return await Promise.all(urls.map(async (url) => (await app.inject(url)).statusCode));
  };
  expect(await statuses()).toEqual([200, 200, 200, 200]);

  await database.refuseConnections();

  expect(await statuses()).toEqual([503, 503, 503, 200]);
  const refusal = await app.inject("/api/settings");
  expect(refusal.headers).toMatchObject({ "retry-after": "1", "cache-control": "no-store" });
  expect(refusal.json()).toMatchObject({ error: "temporarily_unavailable" });

  await database.allowConnections();
  expect(await statuses()).toEqual([200, 200, 200, 200]);
});
