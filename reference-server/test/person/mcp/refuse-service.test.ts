import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { serviceLimits, type ServiceRequest } from "../../../src/person/service-calls/call-service.js";
import type { Resource } from "../../../src/store/resources.js";
import { type ServiceCalling, startServiceCalling } from "./service-calls.js";

let calling: ServiceCalling;
beforeAll(async () => {
  calling = await startServiceCalling();
});
afterAll(() => calling.close());
beforeEach(() => calling.api.forget());
afterEach(() => save({}));

const save = (change: Partial<Resource>) =>
  calling.system.server.context.store.resources.save({ ...calling.plain, ...change }, new Date());
const at = (path: string) => (origin: string) => `${origin}${path}`;

type Change = Partial<Omit<ServiceRequest, "url">> & { readonly url?: (origin: string) => string };

test("the request that each row changes is carried out", async () => {
  const { status } = await calling.send({ url: `${calling.api.origin}/v1/things` });
  expect([status, calling.api.seen.length]).toEqual([200, 1]);
});

test("the longest prefix decides, however it is written, and also when it says no", async () => {
  const { api, plain, send, refused, system } = calling;
  const { resources } = system.server.context.store;
  const inner = {
    ...plain,
    id: crypto.randomUUID(),
    key: "inner",
    name: "Inner",
    resource: `${api.origin}/v1/inner`,
  };
  const prefix = `${api.origin.replace("http:", "HTTP:")}/v1/inner/`;
  await resources.save({ ...inner, requestPrefixes: [prefix] }, new Date());
  const audience = async (path: string) => {
    api.forget();
    await send({ url: `${api.origin}${path}` });
    const [, claims = ""] = (api.seen[0]?.headers.authorization ?? "").split(".");
    return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: string }).aud;
  };
  expect(await audience("/v1/inner/a")).toBe(inner.resource);
  expect(await audience("/v1/inner")).toBe(inner.resource);
  expect(await audience("/v1/inners")).toBe(plain.resource);
  expect(await audience("/v1/")).toBe(plain.resource);
  await resources.save({ ...inner, requestPrefixes: [prefix], enabled: false }, new Date());
  expect((await refused({ url: `${api.origin}/v1/inner/a` })).code).toBe("service_disabled");
  await resources.remove(inner.id);
  expect(await audience("/v1/inner/a")).toBe(plain.resource);
});

describe("nothing is sent", () => {
  type Row = [
    name: string,
    /** The code, and the reason if it is another word. */
    expected: string,
    request: Change,
    more?: {
      readonly service?: () => Partial<Resource>;
      readonly scope?: string;
      readonly ofService?: boolean;
    },
  ];
  test.each<Row>([
    ["to a host that no service has", "unknown_service", { url: () => "https://evil.example/v1/things" }],
    ["above the prefix", "unknown_service", { url: at("/") }],
    ["beside the prefix", "unknown_service", { url: at("/v10/things") }],
    ["to another port", "unknown_service", { url: () => "http://127.0.0.1:1/v1/things" }],
    [
      "to another scheme",
      "unknown_service",
      { url: (origin) => `${origin.replace("http:", "https:")}/v1/things` },
    ],
    [
      "to this server itself",
      "unknown_service",
      { url: () => `${calling.system.issuer}/api/me` },
      { service: () => ({ requestPrefixes: [calling.system.issuer] }) },
    ],
    ["out of the prefix with dots", "invalid_target target_path_segments", { url: at("/v1/../admin") }],
    [
      "out of the prefix with encoded dots",
      "invalid_target target_path_encoding",
      { url: at("/v1/%2e%2e/admin") },
    ],
    [
      "with a user name",
      "invalid_target target_user_information",
      { url: (origin) => origin.replace("//", "//ada@") },
    ],
    ["with a fragment", "invalid_target target_fragment", { url: at("/v1/things#a") }],
    ["with a NUL", "invalid_target target_characters", { url: at("/v1/things\u0000") }],
    ["with an address that is none", "invalid_target target_not_absolute", { url: () => "things" }],
    [
      "over plain HTTP beyond this machine",
      "invalid_target target_scheme",
      { url: () => "http://contracts.acme.example/v1" },
    ],
    ["with a method that is none of ours", "method_not_allowed", { method: "TRACE" }],
    ["with a method of any characters", "method_not_allowed", { method: "GET\u0000" }],
    [
      "with a header that asks for another method",
      "method_not_allowed method_override",
      { headers: [["X_HTTP_Method_Override", "DELETE"]] },
    ],
    [
      "with a body that is too long",
      "request_too_large",
      { method: "POST", body: Buffer.alloc(serviceLimits.requestBytes + 1) },
      { ofService: true },
    ],
    [
      "with a scope that is malformed",
      "invalid_request scope_not_supported",
      { scopes: ["contracts read"] },
      { ofService: true },
    ],
    [
      "with a scope that the service does not know",
      "invalid_request scope_not_supported",
      { scopes: ["invoices:read"] },
      { ofService: true },
    ],
    [
      "with one of several scopes that is not held",
      "insufficient_scope",
      { scopes: ["contracts:read", "contracts:write"] },
      { scope: "contracts:write", ofService: true },
    ],
    [
      "where nothing is held",
      "insufficient_scope",
      {},
      { service: () => ({ supportedScopes: ["invoices:read"] }), scope: "invoices:read", ofService: true },
    ],
    [
      "to a service that is switched off",
      "service_disabled",
      {},
      { service: () => ({ enabled: false }), ofService: true },
    ],
    [
      "to a service that takes no calls",
      "service_declines",
      {},
      { service: () => ({ agentCalls: false }), ofService: true },
    ],
  ])("%s", async (_name, expected, request, { service, scope, ofService = false } = {}) => {
    const { api, plain, system } = calling;
    const [code = "", reason = code] = expected.split(" ");
    if (service !== undefined) await save(service());
    const before = (await system.audit("service.call_denied")).length;
    const { url = at("/v1/things"), ...change } = request;
    const refusal = await calling.refused({ ...change, url: url(api.origin) });
    expect([refusal.code, refusal.reason, refusal.sent, refusal.scope]).toEqual([code, reason, "no", scope]);
    expect([api.seen.length, api.connections]).toEqual([0, 0]);
    const events = await system.audit("service.call_denied");
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)).toMatchObject({ outcome: "denied", data: { reason } });
    expect(events.at(-1)?.data["resource"]).toBe(ofService ? plain.key : undefined);
    expect(JSON.stringify(events.at(-1))).not.toContain("things");
    await expect.poll(async () => await system.database.query("SELECT FROM forwarded_calls")).toEqual([]);
  });

  test("once the caller has gone", async () => {
    const gone = AbortSignal.abort(new Error("gone"));
    const request = calling.request({ url: `${calling.api.origin}/v1`, signal: gone });
    await expect(calling.first.call(await request)).rejects.toThrow("gone");
    expect(calling.api.seen).toEqual([]);
  });

  test("beyond what one person may send a service in a minute, and then nothing is recorded", async () => {
    const { system, first } = calling;
    const { user } = await calling.caller();
    const key = `${user.id} ${calling.plain.id}`;
    const perMinute = serviceLimits.requestsPerMinute;
    const own = { name: "service.person", key, perMinute } as const;
    const limiter = first.server.context.rateLimiter;
    for (let left = perMinute; left > 0; left -= 1) await limiter.takeOwn(own).catch(() => undefined);
    const before = (await system.audit("service.call_denied")).length;
    const { code, retryAfterSeconds } = await calling.refused({ url: `${calling.api.origin}/v1` });
    expect([code, Number(retryAfterSeconds) > 0]).toEqual(["rate_limited", true]);
    expect(await system.audit("service.call_denied")).toHaveLength(before);
    expect(calling.api.seen).toEqual([]);
    await expect.poll(async () => await system.database.query("SELECT FROM forwarded_calls")).toEqual([]);
  });
});
