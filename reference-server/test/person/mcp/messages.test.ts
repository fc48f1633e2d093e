import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { type Agent, type McpAnswer, readAnswer, signInAgent } from "./agent.js";

let system: OauthServer;
let second: string;
let agent: Agent;
const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 1, method, params });

/** The envelope of the present revision. */
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const present = (method: string, params: object = {}) =>
  agent.send(request(method, { ...params, _meta: envelope }), {
    headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": method },
  });

const longMessage = (params: object) => JSON.stringify(request("ping", params));
const membersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, '"']));

beforeAll(async () => {
  system = await startOauthServer();
  second = await system.startSecondInstance();
  agent = await signInAgent(system);
});
afterAll(() => system.close());

async function raw(init: {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}): Promise<McpAnswer> {
  const { method = "POST", headers = {}, body = JSON.stringify(request("ping")) } = init;
  const response = await fetch(agent.url, {
    method,
    headers: {
      authorization: `Bearer ${agent.accessToken}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    ...(method === "POST" && { body }),
  });
  return await readAnswer(response);
}

describe("the protocol", () => {
  test("is spoken without any state, as of 2026-07-28", async () => {
    const { status, body, headers } = await present("server/discover");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      result: {
        supportedVersions: expect.arrayContaining(["2026-07-28"]) as string[],
        capabilities: { tools: {}, resources: {} },
        instructions: expect.any(String) as string,
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
    const { body: listed } = await present("tools/list");
    const tools = (listed["result"] as { tools: readonly { name: string; annotations: object }[] }).tools;
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["find_skills", "read_skill", "request", "explain"]),
    );
    expect(tools.find(({ name }) => name === "request")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    });
  });

  test.each(["2025-11-25", "2025-06-18", "2025-03-26"])(
    "is spoken as of %s, by whichever process is asked",
    async (protocolVersion) => {
      const clientInfo = { name: "test", version: "1" };
      const initialize = request("initialize", { protocolVersion, capabilities: {}, clientInfo });
      const headers = { "mcp-protocol-version": protocolVersion };
      const began = await agent.send(initialize, { headers });
      expect(began.body).toMatchObject({ result: { protocolVersion, serverInfo: { name: "authz" } } });
      expect(began.headers.get("mcp-session-id")).toBeNull();
      const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
      expect((await agent.send(initialized, { headers, origin: second })).status).toBe(202);
      const { body } = await agent.send(request("tools/list"), { headers, origin: second });
      expect(body).toMatchObject({ result: { tools: expect.any(Array) as unknown[] } });
    },
  );

  test("has nothing to listen to without asking, and no sessions to end", async () => {
    const answers = await Promise.all([raw({ method: "GET" }), raw({ method: "DELETE" })]);
    expect(answers.map(({ status, headers }) => [status, headers.get("allow")])).toEqual([
      [405, "POST"],
      [405, "POST"],
    ]);
  });

  test.each<[name: string, init: Parameters<typeof raw>[0], status: number, code: number]>([
    ["a batch", { body: JSON.stringify([request("ping")]) }, 400, -32_600],
    ["a text", { body: '"ping"' }, 400, -32_600],
    ["no JSON", { body: "{" }, 400, -32_700],
    ["no body", { body: "" }, 400, -32_700],
    [
      "a member that is there twice",
      { body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}' },
      400,
      -32_700,
    ],
    ["nesting without an end", { body: "[".repeat(4000) }, 400, -32_700],
    ["too many members", { body: longMessage({ a: membersOf(40_000) }) }, 400, -32_600],
    [
      "too many items, however small",
      { body: longMessage({ a: Array.from({ length: 5000 }, () => ({})) }) },
      400,
      -32_600,
    ],
    ["more lists than it can be", { body: "[".repeat(100_000) }, 400, -32_600],
    ["a lone surrogate", { body: '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}' }, 400, -32_700],
    ["another type", { headers: { "content-type": "text/plain" } }, 415, -32_600],
    [
      "more than a mebibyte",
      { body: JSON.stringify(request("ping", { text: "x".repeat(1024 * 1024) })) },
      413,
      -32_600,
    ],
    ["a page of another site", { headers: { origin: "https://evil.example" } }, 403, -32_600],
    ["a page without a site", { headers: { origin: "null" } }, 403, -32_600],
    ["a revision that nobody knows", { headers: { "mcp-protocol-version": "1999-01-01" } }, 400, -32_000],
  ])("refuses %s", async (_name, init, status, code) => {
    const answer = await raw(init);
    expect([answer.status, answer.body]).toMatchObject([status, { error: { code } }]);
  });

  test("takes as many members as any call needs, and does not count what is in a text", async () => {
    const text = JSON.stringify(membersOf(20_000));
    for (const params of [membersOf(4990), { text }]) {
      expect((await raw({ body: longMessage(params) })).body).toMatchObject({ result: {} });
    }
  });

  test("takes what a page of its own sends", async () => {
    expect((await raw({ headers: { origin: system.issuer } })).status).toBe(200);
  });

  test("says of an unknown tool, and of wrong arguments, what is wrong", async () => {
    const url = "https://a.example/";
    const calls = [
      { name: "sing", arguments: {} },
      { name: "read_skill", arguments: {} },
      { name: "request", arguments: { url, method: "POST", offset: 5 } },
      { name: "request", arguments: { url, method: "POST", data: { customer: "Acme" } } },
      { name: "request", arguments: { url, body: "@contract.json" } },
    ];
    const answers = await Promise.all(calls.map((params) => agent.send(request("tools/call", params))));
    const says = (text: string) => ({
      result: { isError: true, content: [{ text: expect.stringContaining(text) as string }] },
    });
    expect(answers.map(({ body }) => body)).toMatchObject([
      { error: { code: -32_602, message: 'There is no tool "sing".' } },
      says('invalid_request: "id" must be a string.'),
      says("GET only"),
      says('request has no argument "data": use "body".'),
      says('Write the content of "contract.json" in "body"'),
    ]);
  });

  test.each([
    ["read_skill", { id: "contracts.\0" }],
    ["read_skill", { id: "\0" }],
    ["explain", { url: "http://127.0.0.1:3101/\0" }],
    ["explain", { url: "http://127.0.0.1:3101/api", scopes: ["\0"] }],
    ["explain", { url: "http://127.0.0.1:3101/api", connection: "\0" }],
    ["request", { url: "nowhere" }],
    ["request", { url: "http://127.0.0.1:3101/api", connection: "\0" }],
    ["request", { url: "http://127.0.0.1:3101/api", method: "\0" }],
    ["request", { url: "http://127.0.0.1:3101/api", scopes: ["\0"] }],
    ["find_skills", { query: "\0" }],
  ])("%s does not fail for %j", async (name, args) => {
    const { text } = await agent.call(name, args);
    expect(text).not.toContain("server_error");
  });
});

test("a caller that goes away before it is identified releases its permit", async () => {
  const { port, hostname, host } = new URL(agent.url);
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: ${host}`,
    `Authorization: Bearer ${agent.accessToken}`,
    "Content-Type: application/json",
    "Content-Length: 2",
  ];
  for (let number = 0; number < 40; number += 1) {
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    await nextTurn();
    socket.destroy();
  }
  await expect.poll(async () => (await agent.send(request("ping"))).status).toBe(200);
});
