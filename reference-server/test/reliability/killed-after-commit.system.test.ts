import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { RawDevice } from "../support/raw-device.js";
import { extent } from "./extent.js";
import { createInstallation, type Installation, type ServerProcess } from "./installation.js";
import { seedCodes } from "./seed.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";
import { findViolations } from "./violations.js";

let commands: ServerCommands;
let database: TestDatabase;
let proxy: TcpProxy;
let installation: Installation;
beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  const { hostname: host, port } = new URL(database.url);
  proxy = await startTcpProxy({ host, port: Number(port) });
  installation = await createInstallation(commands, { database, databasePort: proxy.port });
});
afterAll(async () => {
  await installation.close();
  proxy.close();
  await database.drop();
  commands.kill();
});

test("kill -9 between the rotation that is stored and its answer ends no session", {
  // Each round starts a server.
  timeout: extent({ short: 600_000, long: 7_200_000 }),
}, async () => {
  const rounds = extent({ short: 5, long: 1_000 });
  const device = await RawDevice.create(installation.issuer);
  const [code = ""] = await seedCodes(database, device, 1);
  let server = await installation.start();
  const { body } = await device.token(device.codeParameters(code), { origin: server.origin });
  let token = body["refresh_token"] ?? "";

  for (let round = 0; round < rounds; round += 1) {
    const next = installation.start();
    await loseAnswer(token, { device, server });
    server = await next;
    const again = await device.refresh(token, { origin: server.origin });
    expect(again.status).toBe(200);
    token = again.body["refresh_token"] ?? "";
  }
  expect(await findViolations(database)).toEqual([]);
  const [repeated] = await database.query<{ count: number }>(
    "SELECT count(*)::integer AS count FROM audit_events WHERE type = 'token.issued' AND data ? 'repeated'",
  );
  expect(repeated?.count).toBe(rounds);
});

/** The database has stored the rotation; the server dies before it hears of it. */
async function loseAnswer(
  token: string,
  { device, server }: { readonly device: RawDevice; readonly server: ServerProcess },
): Promise<void> {
  const stored = proxy.holdNext("refresh_token_rotate", "after");
  const lost = device.refresh(token, { origin: server.origin }).then(
    ({ status }) => status,
    () => "no answer",
  );
  await stored;
  await server.kill();
  expect(await lost).toBe("no answer");
}
