import { afterAll, beforeAll, expect, test } from "vitest";
import { recordOrphanedCalls } from "../../../src/forwarding/call-record.js";
import { type Forwarding, startForwarding } from "./forwarding.js";
import { countUses, lastUse, read } from "./outcomes.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());

test("calls whose process ended are recorded once, without an outcome", async () => {
  const { store } = forwarding.system.server.context;
  const own = { userId: forwarding.userId, connectorId: forwarding.connector.id };
  const connection = await store.connections.findOwn(own);
  const startedAt = new Date(Date.now() - 400_000);
  const call = {
    id: "6f1f2f0e-1f3b-4a52-9a86-5a7c0c1d2e3f",
    connector: "notes",
    userId: forwarding.userId,
    clientId: "authz-cli",
    requestId: "r-1",
    method: "POST",
    host: "api.notes.example",
    pathTemplate: "/v1/{…}",
    startedAt,
  };
  const begun = await store.forwardedCalls.beginThroughConnection(call);
  expect(begun.connection).toEqual(connection);
  const before = await countUses(forwarding);
  expect(await recordOrphanedCalls(store, new Date(startedAt.getTime() + 359_000))).toBe(0);
  const both = [recordOrphanedCalls(store, new Date()), recordOrphanedCalls(store, new Date())];
  expect((await Promise.all(both)).reduce((sum, count) => sum + count)).toBe(1);
  const { outcome, data } = await lastUse(forwarding, before + 1);
  expect({ outcome, data }).toEqual({
    outcome: "failed",
    data: {
      connector: "notes",
      connectionId: connection?.id,
      method: "POST",
      host: "api.notes.example",
      pathTemplate: "/v1/{…}",
      status: null,
      durationMs: null,
      requestBytes: null,
      responseBytes: null,
    },
  });
});

test("no query, no path, no body and no token is in the database or the log afterwards", async () => {
  const canary = "canary-5f3a";
  forwarding.api.answer = (request, response) => {
    response.writeHead(200, { "x-canary": canary }).end(`${canary} ${String(request.headers.authorization)}`);
  };
  await forwarding.send({
    method: "POST",
    target: `/v1/things/${canary}?q=${canary}`,
    headers: { "x-canary": canary, cookie: canary },
    body: canary,
  });
  await forwarding.send({ target: `https://evil.example/${canary}?q=${canary}` });
  forwarding.api.answer = ({ socket }) => void socket.destroy();
  await forwarding.send({ method: "POST", target: `/v1/${canary}`, body: canary });
  forwarding.api.answer = ({ socket }) => void socket.end(`${canary}\r\n\r\n`);
  await forwarding.send();
  forwarding.api.answer = ({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n${canary}`);
  };
  expect(await read(await forwarding.open())).toMatchObject({ complete: false });
  await expect
    .poll(async () => (await forwarding.system.database.query("SELECT FROM forwarded_calls")).length)
    .toBe(0);

  const { database, log } = forwarding.system;
  const tables = await database.query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  expect(tables.length).toBeGreaterThan(20);
  const secrets = [canary, forwarding.token, "theirs."];
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    const text = rows.map(({ row }) => row).join("\n");
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
  }
  const lines = JSON.stringify(log);
  // The third party's failures are no lines that ask for attention.
  expect(log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  for (const secret of secrets) expect(lines).not.toContain(secret);
});
