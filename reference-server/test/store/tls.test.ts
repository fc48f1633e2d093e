/** What docs/operate/tls.md says about TLS to the database. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext, TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPrivateCa } from "../../../proxy/test/support/certificates.js";
import { openDatabase } from "../../src/store/postgres/database.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const folder = mkdtempSync(join(tmpdir(), "authz-database-tls-"));
const authority = createPrivateCa();
const context = createSecureContext(authority.issue("127.0.0.1"));
const sockets = new Set<Socket>();
/** PostgreSQL's own beginning of TLS, in front of a database without it. */
const server = createServer((client) => {
  const { hostname, port } = new URL(database.url);
  const upstream = connect(Number(port), hostname);
  for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
  client.once("data", () => {
    client.write("S");
    const secured = new TLSSocket(client, { isServer: true, secureContext: context });
    secured.on("error", () => client.destroy()).pipe(upstream);
    upstream.pipe(secured);
  });
});
let database: TestDatabase;

beforeAll(async () => {
  writeFileSync(join(folder, "ca.pem"), authority.certificate);
  database = await createTestDatabase();
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  server.close();
  for (const socket of sockets) socket.destroy();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(query: string, host = "127.0.0.1"): Promise<unknown> {
  const url = new URL(database.url);
  url.hostname = host;
  url.port = String((server.address() as AddressInfo).port);
  url.search = query;
  const pool = openDatabase({ postgresUrl: url.href });
  try {
    return await pool.raw("SELECT 1");
  } finally {
    await pool.destroy();
  }
}

const trusted = `&sslrootcert=${join(folder, "ca.pem")}`;

test("the database is who its certificate says, by the authority of sslrootcert", async () => {
  await expect(ask(`sslmode=verify-full${trusted}`)).resolves.toMatchObject({ rowCount: 1 });
  await expect(ask(`sslmode=verify-full${trusted}`, "localhost")).rejects.toThrow(/altnames/);
});

test.each(["verify-full", "verify-ca", "require", "prefer"])(
  "%s accepts no untrusted certificate",
  async (mode) => {
    await expect(ask(`sslmode=${mode}`)).rejects.toThrow(/certificate/);
    await expect(ask(`sslmode=${mode}${trusted}`)).resolves.toMatchObject({ rowCount: 1 });
  },
);

test("no-verify accepts every certificate", async () => {
  await expect(ask("sslmode=no-verify")).resolves.toMatchObject({ rowCount: 1 });
});
