import { underMissingKey } from "../../support/connectors.js";
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ConnectorFields } from "../../../src/store/connectors.js";
import { type ForwardedRequest, type Forwarding, startForwarding } from "./forwarding.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());
afterEach(() => forwarding.restore());

interface Refusal {
  readonly error: string;
  readonly error_description: string;
  readonly sent: string;
  readonly scope?: string;
}

async function refused(request: ForwardedRequest) {
  const { status, headers, body } = await forwarding.send(request);
  const { api } = forwarding;
  expect({ requests: api.seen.length, connections: api.connections }).toEqual({
    requests: 0,
    connections: 0,
  });
  return { status, headers, ...(JSON.parse(body) as Refusal) };
}

const elsewhere = "https://evil.example/v1";

describe("nothing is sent", () => {
  test.each<{
    readonly name: string;
    readonly request?: ForwardedRequest;
    readonly connector?: Partial<ConnectorFields>;
    readonly expected: readonly [number, string, string];
    readonly reason?: string;
  }>([
    {
      name: "without credentials",
      request: { credentials: {} },
      expected: [401, "unauthorized", "http_request_denied"],
    },
    {
      name: "with a bearer token",
      request: { credentials: { authorization: "Bearer x" } },
      expected: [401, "invalid_token", "http_request_denied"],
    },
    {
      name: "through a connector that is not there",
      request: { key: "nothing" },
      expected: [404, "not_found", "http_request_denied"],
    },
    {
      name: "through a name that cannot be one",
      request: { key: "%00" },
      expected: [404, "not_found", "http_request_denied"],
    },
    {
      name: "without a permission that the connector asks for",
      connector: { requiredScopes: ["contracts:read", "invoices:read"] },
      expected: [403, "insufficient_scope", "http_request_denied"],
      reason: "insufficient_scope",
    },
    {
      name: "through a connector that is switched off",
      connector: { enabled: false },
      expected: [409, "connector_disabled", "http_request_denied"],
      reason: "connector_disabled",
    },
    {
      name: "with a method that is not allowed",
      request: { method: "DELETE" },
      connector: { methods: ["GET"] },
      expected: [405, "method_not_allowed", "http_request_denied"],
      reason: "method_not_allowed",
    },
    {
      name: "with a header that asks for another method",
      request: { method: "POST", headers: { "X-HTTP-Method-Override": "DELETE" } },
      expected: [405, "method_not_allowed", "http_request_denied"],
      reason: "method_override",
    },
    {
      name: "without an address",
      request: { headers: { "authz-target": "" } },
      expected: [400, "invalid_target", "http_request_error"],
      reason: "target_missing",
    },
    {
      name: "to two addresses",
      request: { headers: { "authz-target": ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"] } },
      expected: [400, "invalid_target", "http_request_error"],
      reason: "target_several",
    },
    {
      name: "out of the prefix with dots",
      request: { target: "/v1/../admin" },
      expected: [400, "invalid_target", "http_request_error"],
      reason: "target_path_segments",
    },
    {
      name: "to another host",
      request: { target: elsewhere },
      expected: [403, "target_not_allowed", "http_request_denied"],
      reason: "target_not_covered",
    },
    {
      name: "beside the prefix",
      request: { target: "/v10" },
      expected: [403, "target_not_allowed", "http_request_denied"],
      reason: "target_not_covered",
    },
    {
      name: "with a body that says that it is too long",
      request: { method: "POST", body: "x".repeat(1025) },
      connector: {
        limits: { requestBytes: 1024, responseBytes: 1024, timeoutSeconds: 5, requestsPerMinute: 600 },
      },
      expected: [413, "request_too_large", "http_request_error"],
      reason: "request_too_large",
    },
    {
      name: "to a private address that a prefix names",
      request: { target: "https://10.0.0.1/v1" },
      connector: { requestPrefixes: ["https://10.0.0.1/v1"] },
      expected: [403, "target_not_allowed", "destination_ip_prohibited"],
    },
    {
      name: "to a name whose addresses are private",
      request: { target: "https://localhost:1/v1" },
      connector: { requestPrefixes: ["https://localhost:1/v1"] },
      expected: [502, "provider_unreachable", "connection_refused"],
    },
    {
      name: "to a name that is not there",
      request: { target: "https://nothing.invalid/v1" },
      connector: { requestPrefixes: ["https://nothing.invalid/v1"] },
      expected: [502, "provider_unreachable", "dns_error"],
    },
    {
      name: "where nobody listens",
      request: { target: "http://127.0.0.1:1/v1" },
      connector: { requestPrefixes: ["http://127.0.0.1:1/v1"] },
      expected: [502, "provider_unreachable", "connection_refused"],
    },
    {
      name: "with a content type that is none",
      request: { method: "POST", headers: { "content-type": "nonsense" }, body: "x" },
      expected: [400, "invalid_request", "http_request_error"],
    },
    {
      name: "with a transfer encoding beside chunked",
      request: { method: "POST", headers: { "transfer-encoding": "gzip, chunked" }, body: "x" },
      expected: [400, "invalid_request", "http_request_error"],
    },
  ])("$name: $expected", async ({ request = {}, connector, expected, reason }) => {
    const before = await forwarding.system.audit("connection.denied");
    let key = request.key ?? forwarding.connector.key;
    // For other places than those that Ada agreed to she would have to connect again.
    if (connector?.requestPrefixes !== undefined) ({ key } = (await forwarding.connect(connector)).connector);
    else if (connector !== undefined) await forwarding.restore(connector);
    const {
      status,
      headers,
      error,
      error_description: description,
      sent,
    } = await refused({
      ...request,
      key,
    });
    expect([status, error, headers["proxy-status"]]).toEqual([
      expected[0],
      expected[1],
      `authz; error=${expected[2]}`,
    ]);
    expect(sent).toBe("no");
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(headers["cache-control"]).toBe("no-store");
    const [denied, ...others] = (await forwarding.system.audit("connection.denied")).slice(before.length);
    expect(others).toEqual([]);
    expect(denied?.data["reason"]).toBe(reason);
  });

  test("and the missing permissions are named, and the methods that are allowed", async () => {
    await forwarding.restore({ requiredScopes: ["contracts:read", "contracts:write", "invoices:read"] });
    expect((await refused({})).scope).toBe("contracts:write invoices:read");
    const denied = (await forwarding.system.audit("connection.denied")).at(-1);
    expect(denied?.data["scopes"]).toEqual(["contracts:write", "invoices:read"]);
    await forwarding.restore({ methods: ["GET", "POST"] });
    expect((await refused({ method: "PUT" })).headers["allow"]).toBe("GET, POST");
  });

  test("with a proof that was used before", async () => {
    const credentials = forwarding.credentials("GET", "notes");
    expect((await forwarding.send({ credentials })).status).toBe(200);
    forwarding.api.seen.length = 0;
    forwarding.api.connections = 0;
    expect(await refused({ credentials })).toMatchObject({
      status: 401,
      error: "invalid_dpop_proof",
      // The first time it was sent, and whoever repeats a request must not be told otherwise.
      sent: "maybe",
    });
  });

  test("with a proof for another method or another connector", async () => {
    const { connector } = await forwarding.connect();
    for (const credentials of [
      forwarding.credentials("POST", "notes"),
      forwarding.credentials("GET", connector.key),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- two
      expect(await refused({ credentials })).toMatchObject({ status: 401, error: "invalid_dpop_proof" });
    }
  });

  test.each([
    [
      "disconnecting",
      "UPDATE connections SET state = 'disconnecting', disconnecting_at = now() WHERE id = $1",
    ],
    [
      "reconnect_required",
      "UPDATE connections SET state = 'reconnect_required', reason = 'refused' WHERE id = $1",
    ],
    ["not_connected", "DELETE FROM connections WHERE id = $1"],
  ])("through a connection that is %s", async (error, change) => {
    const { connector, connection } = await forwarding.connect();
    await forwarding.system.database.query(change, [connection.id]);
    expect(await refused({ key: connector.key })).toMatchObject({ status: 409, error, sent: "no" });
  });

  test("through somebody else's connection", async () => {
    const { connector, connection } = await forwarding.connect();
    const other = randomUUID();
    await forwarding.system.database.query(
      "INSERT INTO users (id, email, enabled, created_at, updated_at) VALUES ($1, 'x@acme.example', true, now(), now())",
      [other],
    );
    await forwarding.system.database.query("UPDATE connections SET user_id = $2 WHERE id = $1", [
      connection.id,
      other,
    ]);
    expect(await refused({ key: connector.key })).toMatchObject({ status: 409, error: "not_connected" });
  });

  test("when the tokens do not open on this server", async () => {
    const { connector, connection } = await forwarding.connect();
    const unknown = `UPDATE connections SET credentials = ${underMissingKey("credentials")} WHERE id = $1`;
    await forwarding.system.database.query(unknown, [connection.id]);
    expect(await refused({ key: connector.key })).toMatchObject({
      status: 503,
      error: "connector_key_unavailable",
      sent: "no",
    });
  });

  test("when the token is over and the third party cannot be asked for a new one", async () => {
    const { connector, connection } = await forwarding.connect({ tokenEndpoint: "http://127.0.0.1:1/token" });
    const over = "UPDATE connections SET access_expires_at = now() - interval '1 hour' WHERE id = $1";
    await forwarding.system.database.query(over, [connection.id]);
    const { status, error, sent, headers } = await refused({ key: connector.key });
    expect({ status, error, sent }).toEqual({ status: 503, error: "refresh_unavailable", sent: "no" });
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  });

  test("while the database is away", async () => {
    await forwarding.system.database.refuseConnections();
    const { status, error, sent, headers } = await refused({});
    await forwarding.system.database.allowConnections();
    expect({ status, error, sent }).toEqual({ status: 503, error: "temporarily_unavailable", sent: "no" });
    expect(headers["retry-after"]).toBe("1");
    await expect.poll(async () => (await forwarding.send()).status).toBe(200);
  });
});
