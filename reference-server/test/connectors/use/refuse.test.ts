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
  type Row = [
    name: string,
    /** Status, error and the error to proxies; then the reason in the audit trail, if the refusal is recorded. */
    expected: string,
    request: ForwardedRequest,
    connector?: Partial<ConnectorFields>,
  ];
  test.each<Row>([
    ["without credentials", "401 unauthorized http_request_denied", { credentials: {} }],
    [
      "with a bearer token",
      "401 invalid_token http_request_denied",
      { credentials: { authorization: "Bearer x" } },
    ],
    ["through a connector that is not there", "404 not_found http_request_denied", { key: "nothing" }],
    ["through a name that cannot be one", "404 not_found http_request_denied", { key: "%00" }],
    [
      "without a permission that the connector asks for",
      "403 insufficient_scope http_request_denied, insufficient_scope",
      {},
      { requiredScopes: ["contracts:read", "invoices:read"] },
    ],
    [
      "through a connector that is switched off",
      "409 connector_disabled http_request_denied, connector_disabled",
      {},
      { enabled: false },
    ],
    [
      "with a method that is not allowed",
      "405 method_not_allowed http_request_denied, method_not_allowed",
      { method: "DELETE" },
      { methods: ["GET"] },
    ],
    [
      "with a header that asks for another method",
      "405 method_not_allowed http_request_denied, method_override",
      { method: "POST", headers: { "X-HTTP-Method-Override": "DELETE" } },
    ],
    [
      "without an address",
      "400 invalid_target http_request_error, target_missing",
      { headers: { "authz-target": "" } },
    ],
    [
      "to two addresses",
      "400 invalid_target http_request_error, target_several",
      { headers: { "authz-target": ["http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"] } },
    ],
    [
      "out of the prefix with dots",
      "400 invalid_target http_request_error, target_path_segments",
      { target: "/v1/../admin" },
    ],
    [
      "to another host",
      "403 target_not_allowed http_request_denied, target_not_covered",
      { target: elsewhere },
    ],
    [
      "beside the prefix",
      "403 target_not_allowed http_request_denied, target_not_covered",
      { target: "/v10" },
    ],
    [
      "with a body that says that it is too long",
      "413 request_too_large http_request_error, request_too_large",
      { method: "POST", body: "x".repeat(1025) },
      {
        limits: { requestBytes: 1024, responseBytes: 1024, timeoutSeconds: 5, requestsPerMinute: 600 },
      },
    ],
    [
      "to a private address that a prefix names",
      "403 target_not_allowed destination_ip_prohibited",
      { target: "https://10.0.0.1/v1" },
      { requestPrefixes: ["https://10.0.0.1/v1"] },
    ],
    [
      "to a name whose addresses are private",
      "502 provider_unreachable connection_refused",
      { target: "https://localhost:1/v1" },
      { requestPrefixes: ["https://localhost:1/v1"] },
    ],
    [
      "to a name that is not there",
      "502 provider_unreachable dns_error",
      { target: "https://nothing.invalid/v1" },
      { requestPrefixes: ["https://nothing.invalid/v1"] },
    ],
    [
      "where nobody listens",
      "502 provider_unreachable connection_refused",
      { target: "http://127.0.0.1:1/v1" },
      { requestPrefixes: ["http://127.0.0.1:1/v1"] },
    ],
    [
      "with a content type that is none",
      "400 invalid_request http_request_error",
      { method: "POST", headers: { "content-type": "nonsense" }, body: "x" },
    ],
    [
      "with a transfer encoding beside chunked",
      "400 invalid_request http_request_error",
      { method: "POST", headers: { "transfer-encoding": "gzip, chunked" }, body: "x" },
    ],
  ])("%s: %s", async (_name, expected, request, connector) => {
    const before = await forwarding.system.audit("connection.denied");
    let key = request.key ?? forwarding.connector.key;
    // For other places than those that Ada agreed to she would have to connect again.
    if (connector?.requestPrefixes !== undefined) ({ key } = (await forwarding.connect(connector)).connector);
    else if (connector !== undefined) await forwarding.restore(connector);
    const answer = await refused({ ...request, key });
    const { headers, error, error_description: description, sent } = answer;
    const proxyError = String(headers["proxy-status"]).replace("authz; error=", "");
    const [refusal, reason] = expected.split(", ");
    expect(`${answer.status} ${error} ${proxyError}`).toBe(refusal);
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

  test("through another person's connection", async () => {
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
