import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { attributesOf, type Collector, startCollector } from "../../support/collector.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let collector: Collector;
let server: TestServer | undefined;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  await collector.close();
});

async function start(environment: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  server = await createTestServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    ...environment,
  });
  return server;
}

/** Closing sends what was measured. */
async function finish(): Promise<void> {
  await server?.close();
  server = undefined;
}

test("a request becomes a span with its statements below, in the trace of the caller", async () => {
  const { app, log } = await start();
  await app.inject({
    method: "POST",
    url: "/api/oauth/revoke?secret=1",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    },
    payload: "client_id=authz-cli&token=very-secret",
  });
  await finish();

  const request = collector.spans.find(({ kind }) => kind === 2);
  expect(request).toMatchObject({
    name: "POST /api/oauth/revoke",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    parentSpanId: "b7ad6b7169203331",
  });
  expect(attributesOf(request ?? { attributes: [] })).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/api/oauth/revoke",
    "url.path": "/api/oauth/revoke",
    "http.response.status_code": 200,
  });
  const statements = collector.spans.filter(({ kind }) => kind === 3);
  expect(statements.length).toBeGreaterThan(0);
  for (const span of statements) {
    expect(span).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
    expect(attributesOf(span)).toMatchObject({ "db.system.name": "postgresql" });
  }
  expect(JSON.stringify(collector.spans)).not.toContain("secret");
  expect(collector.resource()).toMatchObject({ "service.name": "authz-server" });
  const line = log.find(({ msg }) => msg === "request");
  expect(line).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c" });
});

test("a caller that does not sample is not measured", async () => {
  const { app } = await start();
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
  await app.inject({ url: "/sign-in", headers: { traceparent } });
  await finish();
  expect(collector.spans).toEqual([]);
});

test("a failed request and its failed statement are marked", async () => {
  const { app, database } = await start();
  await database.query("ALTER TABLE identity_providers RENAME TO gone");
  expect((await app.inject("/sign-in")).statusCode).toBe(500);
  await finish();
  expect(
    collector.spans
      .filter(({ status }) => status.code === 2)
      .map(({ kind }) => kind)
      .toSorted((one, other) => one - other),
  ).toEqual([2, 3]);
});

test("a request to another server is a span, and continues the trace there", async () => {
  const seen: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    seen.push(request.headers["traceparent"] as string | undefined);
    response.end("{}");
  });
  await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { app, context } = await start();
  app.get("/api/ask", async () => {
    await context.outboundFetch(`http://127.0.0.1:${port}/catalog?token=secret`);
    return {};
  });
  await app.inject("/api/ask");
  await finish();
  other.close();

  const span = collector.spans.find(({ name }) => name === "GET");
  expect(attributesOf(span ?? { attributes: [] })).toMatchObject({
    "url.full": `http://127.0.0.1:${port}/catalog`,
    "http.response.status_code": 200,
  });
  expect(seen).toEqual([`00-${span?.traceId}-${span?.spanId}-01`]);
});

test("work in the background is not measured", async () => {
  const { context } = await start();
  await context.store.checkWrite();
  await finish();
  expect(collector.spans).toEqual([]);
});

test("traces go out as protobuf unless the variables say otherwise", async () => {
  const { app } = await start({ OTEL_EXPORTER_OTLP_PROTOCOL: "" });
  await app.inject("/sign-in");
  await finish();
  expect(collector.contentTypes).toEqual(["application/x-protobuf"]);
});

test("a collector that is away neither fails a request nor the stop", async () => {
  const { app } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  expect((await app.inject("/.well-known/openid-configuration")).statusCode).toBe(200);
  await finish();
});

test("a collector that refuses is named in the log", async () => {
  collector.refuse();
  const { app, log } = await start();
  await app.inject("/.well-known/openid-configuration");
  await finish();
  expect(log.filter(({ code }) => code === "TRACES_NOT_SENT")).toMatchObject([
    { msg: `Traces cannot be sent to ${collector.origin}.` },
  ]);
});

test("without the variables nothing is measured", async () => {
  server = await createTestServer();
  expect(server.context.config.tracing).toBeUndefined();
  const response = await server.app.inject("/.well-known/openid-configuration");
  expect(response.statusCode).toBe(200);
  expect(server.log.find(({ msg }) => msg === "request")).not.toHaveProperty("traceId");
});
