import { Agent, get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverVersion } from "../../../src/platform/http/server-version.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;

async function ask(url: string): Promise<{ status: number; body: string }> {
  const response = await server.management?.inject(url);
  return { status: response?.statusCode ?? 0, body: response?.body ?? "" };
}

const ready = { status: 200, body: '{"status":"ready"}' };
const databaseAway = { status: 503, body: '{"status":"database_away"}' };

test("without a port in the configuration nothing is measured and nothing is opened", async () => {
  server = await createTestServer();
  expect(server.management).toBeUndefined();
  await server.close();
});

describe("a process", () => {
  let address: string;
  beforeAll(async () => {
    server = await createTestServer({ AUTHZ_MANAGEMENT_PORT: "0" });
  });
  afterAll(() => server.close());

  test("is alive from the beginning, and not ready before it serves", async () => {
    expect(await ask("/livez")).toMatchObject({ status: 200 });
    expect(await ask("/readyz")).toEqual({ status: 503, body: '{"status":"starting"}' });
  });

  test("has metrics that name routes by their pattern, never by a path", async () => {
    await server.app.inject("/.well-known/openid-configuration");
    await server.app.inject("/api/me/skills/secret-skill");
    await server.app.inject("/somewhere/secret");
    const { body } = await ask("/metrics");
    expect(body).toContain(
      'http_request_duration_seconds_count{method="GET",route="/.well-known/openid-configuration",status="200"} 1',
    );
    expect(body).toContain('route="/api/me/skills/:id",status="401"} 1');
    expect(body).toContain('route="none",status="404"} 1');
    expect(body).toMatch(/authz_database_connections\{state="idle"\} \d+/);
    expect(body).toContain("process_cpu_seconds_total");
    expect(body).toContain('authz_rate_limited_requests_total{limit="token.address"} 0');
    expect(body).toContain('authz_expired_records_removed_total{kind="dpop_replays"} 0');
    expect(body).toContain("authz_audit_events_sealed_total 0");
    expect(body).toContain("authz_log_lines_dropped_total 0");
    expect(body).toMatch(/authz_clock_difference_seconds -?[\d.e-]+\n/);
    expect(body).not.toContain("secret");
  });

  test("has metrics of what is undelivered, stale and refused, and of its version", async () => {
    await server.database.query(
      `INSERT INTO notifications (id, type, channel, body, attempts, created_at)
       VALUES (gen_random_uuid(), 'access.requested', 'webhook', '{}', 1, now() - interval '2 minutes'),
         (gen_random_uuid(), 'access.requested', 'webhook', '{}', 1, now())`,
    );
    const lines = (await ask("/metrics")).body.split("\n");
    expect(lines).toContain("authz_notifications_undelivered 1");
    expect(lines).toContain('authz_skill_catalogs{state="stale"} 0');
    expect(lines).toContain('authz_refusals_total{event="sign_in.refused"} 0');
    expect(lines).toContain(`authz_build_info{version="${serverVersion}"} 1`);
    const event = { type: "sign_in.refused", outcome: "denied", actor: { type: "system" } } as const;
    const data = { provider: "acme", reason: "invalid_response" } as const;
    await server.context.refusals.from("192.0.2.1").admit({ ...event, at: new Date(), data });
    expect((await ask("/metrics")).body).toContain('authz_refusals_total{event="sign_in.refused"} 1\n');
  });

  test("has none of the management paths on its public port", async () => {
    for (const path of ["/livez", "/readyz", "/metrics"])
      expect((await server.app.inject(path)).statusCode).toBe(404);
  });

  test("is ready once it serves", async () => {
    address = await server.start();
    expect(await ask("/readyz")).toEqual(ready);
  });

  test("is alive, not ready and logs two lines during an outage of the database, however many requests it hits", async () => {
    await server.database.refuseConnections();
    // Probes within a second share an answer.
    await expect.poll(() => ask("/readyz")).toEqual(databaseAway);
    for (let time = 0; time < 3; time += 1) {
      const answers = [await ask("/readyz"), (await server.app.inject("/sign-in")).statusCode];
      expect(answers).toEqual([databaseAway, 503]);
    }
    expect((await ask("/livez")).status).toBe(200);
    // Figures from the database are missing then, and not zero. A connection that is being ended may answer once more.
    await expect
      .poll(async () => (await ask("/metrics")).body)
      .not.toMatch(/^authz_(?:notifications_undelivered|skill_catalogs)\b/m);
    expect((await ask("/metrics")).body).toContain("\nauthz_build_info{");
    await server.database.allowConnections();
    await expect.poll(() => ask("/readyz")).toEqual(ready);
    const lines = server.log.filter(({ code }) => code === "DATABASE_AWAY").map(({ msg }) => msg);
    expect(lines).toEqual(["Not ready: the database stores nothing.", "Answered with 503."]);
  });

  test("is not ready while the database refuses to store anything", async () => {
    await server.database.query("REVOKE UPDATE ON write_checks FROM authz_test_owner");
    await expect.poll(() => ask("/readyz")).toEqual(databaseAway);
    await server.database.query("GRANT UPDATE ON write_checks TO authz_test_owner");
    await expect.poll(() => ask("/readyz")).toEqual(ready);
  });

  test("is not ready while the disk of the database has no room for a new page", async () => {
    // To PostgreSQL a limit on files is as good as a full disk; the row of the check could still be changed.
    const limitFiles = (setting: string) =>
      server.database.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${setting}', current_database()); END $$`,
      );
    const disconnect = () =>
      server.database.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
    await limitFiles("SET temp_file_limit = 0");
    await disconnect();
    await expect.poll(() => ask("/readyz"), { timeout: 30_000 }).toEqual(databaseAway);
    await server.database.query("UPDATE write_checks SET checked_at = now()");
    await limitFiles("RESET temp_file_limit");
    await disconnect();
    await expect.poll(() => ask("/readyz"), { timeout: 30_000 }).toEqual(ready);
  });

  test("is not ready once it is told to stop, still answers, and asks for new connections elsewhere", async () => {
    await server.drain();
    expect(await ask("/readyz")).toEqual({ status: 503, body: '{"status":"draining"}' });
    const response = await fetch(`${address}/.well-known/openid-configuration`);
    expect(response.status).toBe(200);
    expect(response.headers.get("connection")).toBe("close");
  });
});

test("a request in progress ends with its answer while the process closes", async () => {
  server = await createTestServer();
  const { app } = server;
  let answer: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    app.get("/api/slow", async () => {
      resolve();
      await new Promise<void>((done) => {
        answer = done;
      });
      return { done: true };
    });
  });
  await server.start();
  const { port } = app.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const status = new Promise<number | undefined>((resolve, reject) => {
    get({ port, host: "127.0.0.1", path: "/api/slow", agent }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });
  await entered;

  const closed = app.close();
  answer();

  expect(await status).toBe(200);
  await closed;
  agent.destroy();
  await server.close();
});
