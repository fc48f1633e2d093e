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
  test.each<{
    readonly name: string;
    readonly request?: Change;
    readonly service?: (origin: string) => Partial<Resource>;
    readonly expected: readonly [status: string, reason: string];
    readonly scope?: string;
    readonly ofService?: boolean;
  }>([
    {
      name: "to a host that no service has",
      request: { url: () => "https://evil.example/v1/things" },
      expected: ["unknown_service", "unknown_service"],
    },
    { name: "above the prefix", request: { url: at("/") }, expected: ["unknown_service", "unknown_service"] },
    {
      name: "beside the prefix",
      request: { url: at("/v10/things") },
      expected: ["unknown_service", "unknown_service"],
    },
    {
      name: "to another port",
      request: { url: () => "http://127.0.0.1:1/v1/things" },
      expected: ["unknown_service", "unknown_service"],
    },
    {
      name: "to another scheme",
      request: { url: (origin) => `${origin.replace("http:", "https:")}/v1/things` },
      expected: ["unknown_service", "unknown_service"],
    },
    {
      name: "to this server itself",
      request: { url: () => `${calling.system.issuer}/api/me` },
      service: () => ({ requestPrefixes: [calling.system.issuer] }),
      expected: ["unknown_service", "unknown_service"],
    },
    {
      name: "out of the prefix with dots",
      request: { url: at("/v1/../admin") },
      expected: ["invalid_target", "target_path_segments"],
    },
    {
      name: "out of the prefix with encoded dots",
      request: { url: at("/v1/%2e%2e/admin") },
      expected: ["invalid_target", "target_path_encoding"],
    },
    {
      name: "with a user name",
      request: { url: (origin) => origin.replace("//", "//ada@") },
      expected: ["invalid_target", "target_user_information"],
    },
    {
      name: "with a fragment",
      request: { url: at("/v1/things#a") },
      expected: ["invalid_target", "target_fragment"],
    },
    {
      name: "with a NUL",
      request: { url: at("/v1/things\u0000") },
      expected: ["invalid_target", "target_characters"],
    },
    {
      name: "with an address that is none",
      request: { url: () => "things" },
      expected: ["invalid_target", "target_not_absolute"],
    },
    {
      name: "over plain HTTP beyond this machine",
      request: { url: () => "http://contracts.acme.example/v1" },
      expected: ["invalid_target", "target_scheme"],
    },
    {
      name: "with a method that is none of ours",
      request: { method: "TRACE" },
      expected: ["method_not_allowed", "method_not_allowed"],
    },
    {
      name: "with a method of any characters",
      request: { method: "GET\u0000" },
      expected: ["method_not_allowed", "method_not_allowed"],
    },
    {
      name: "with a header that asks for another method",
      request: { headers: [["X_HTTP_Method_Override", "DELETE"]] },
      expected: ["method_not_allowed", "method_override"],
    },
    {
      name: "with a body that is too long",
      request: { method: "POST", body: Buffer.alloc(serviceLimits.requestBytes + 1) },
      expected: ["request_too_large", "request_too_large"],
      ofService: true,
    },
    {
      name: "with a scope that is malformed",
      request: { scopes: ["contracts read"] },
      expected: ["invalid_request", "scope_not_supported"],
      ofService: true,
    },
    {
      name: "with a scope that the service does not know",
      request: { scopes: ["invoices:read"] },
      expected: ["invalid_request", "scope_not_supported"],
      ofService: true,
    },
    {
      name: "with one of several scopes that is not held",
      request: { scopes: ["contracts:read", "contracts:write"] },
      expected: ["insufficient_scope", "insufficient_scope"],
      scope: "contracts:write",
      ofService: true,
    },
    {
      name: "where nothing is held",
      service: () => ({ supportedScopes: ["invoices:read"] }),
      expected: ["insufficient_scope", "insufficient_scope"],
      scope: "invoices:read",
      ofService: true,
    },
    {
      name: "to a service that is switched off",
      service: () => ({ enabled: false }),
      expected: ["service_disabled", "service_disabled"],
      ofService: true,
    },
    {
      name: "to a service that takes no calls",
      service: () => ({ agentCalls: false }),
      expected: ["service_declines", "service_declines"],
      ofService: true,
    },
  ])("$name", async ({ request = {}, service, expected, scope, ofService = false }) => {
    const { api, plain, system } = calling;
    if (service !== undefined) await save(service(api.origin));
    const before = (await system.audit("service.call_denied")).length;
    const { url = at("/v1/things"), ...change } = request;
    const refusal = await calling.refused({ ...change, url: url(api.origin) });
    expect([refusal.code, refusal.reason, refusal.sent, refusal.scope]).toEqual([...expected, "no", scope]);
    expect([api.seen.length, api.connections]).toEqual([0, 0]);
    const events = await system.audit("service.call_denied");
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)).toMatchObject({ outcome: "denied", data: { reason: expected[1] } });
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
