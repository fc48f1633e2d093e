import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPlainCall } from "../../../src/person/mcp/plain-call.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { type Agent, type Message, signInAgent } from "./agent.js";

const call = (params: unknown): Message => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-11-25",
};
const plain = { name: "request", arguments: { url: "https://a.example/" } };

describe("a plain call", () => {
  test.each<[name: string, message: Message, read: object]>([
    ["as it is", call(plain), { id: 1, ...plain, progressToken: undefined }],
    ["without arguments", call({ name: "a" }), { id: 1, name: "a", arguments: undefined }],
    ["with a text for an id", { ...call(plain), id: "x" }, { id: "x", name: "request" }],
    ["that wants progress", call({ ...plain, _meta: { progressToken: 5 } }), { progressToken: 5 }],
    ["with a host's own names", call({ ...plain, _meta: { "host.example/id": {} } }), { name: "request" }],
  ])("is one %s", (_name, message, read) => {
    expect(readPlainCall(message, headers)).toMatchObject(read);
  });

  test.each<[name: string, message: Message]>([
    ["another version of JSON-RPC", { ...call(plain), jsonrpc: "1.0" }],
    ["no id", { ...call(plain), id: undefined }],
    ["a fraction for an id", { ...call(plain), id: 1.5 }],
    ["null for an id", { ...call(plain), id: null }],
    ["another method", { ...call(plain), method: "tools/list" }],
    ["one member more", { ...call(plain), extra: 1 }],
    ["no parameters", call(undefined)],
    ["a list of parameters", call([])],
    ["no name", call({ arguments: {} })],
    ["a number for a name", call({ name: 1 })],
    ["a list of arguments", call({ ...plain, arguments: [] })],
    ["null for arguments", call({ ...plain, arguments: null })],
    ["a task", call({ ...plain, task: {} })],
    ["an answer that was asked for", call({ ...plain, inputResponses: {} })],
    ["metadata that is none", call({ ...plain, _meta: 1 })],
    ["an object to tell progress by", call({ ...plain, _meta: { progressToken: {} } })],
    [
      "an envelope of 2026-07-28",
      call({ ...plain, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    ],
    ["another name of the protocol's", call({ ...plain, _meta: { "com.mcp.api/x": 1 } })],
  ])("is none with %s", (_name, message) => {
    expect(readPlainCall(message, headers)).toBeUndefined();
  });

  test.each<[name: string, changes: Record<string, string>]>([
    ["another revision", { "mcp-protocol-version": "2026-07-28" }],
    ["two revisions", { "mcp-protocol-version": "2025-11-25, 2025-06-18" }],
    ["a revision that nobody knows", { "mcp-protocol-version": "1999-01-01" }],
    ["a method beside it", { "mcp-method": "tools/call" }],
    ["a name beside it", { "mcp-name": "request" }],
    ["another type", { "content-type": "application/json; charset=latin1" }],
    ["no wish for events", { accept: "application/json" }],
    ["no wish for JSON", { accept: "text/event-stream" }],
  ])("is none with headers that have %s", (_name, changes) => {
    expect(readPlainCall(call(plain), { ...headers, ...changes })).toBeUndefined();
  });
});

describe("is answered as by the library:", () => {
  let system: OauthServer;
  let agent: Agent;
  beforeAll(async () => {
    system = await startOauthServer();
    agent = await signInAgent(system);
  });
  afterAll(() => system.close());

  test.each<[name: string, message: Message]>([
    ["a text", call({ name: "list_connections" })],
    ["structured content", call({ name: "find_skills", arguments: { query: "contracts" } })],
    ["a failure that a model reads", call({ name: "read_skill", arguments: { id: "nothing.there" } })],
    ["a refusal", call({ name: "request", arguments: { url: "https://nowhere.example/" } })],
    ["an unknown tool", call({ name: "sing" })],
    ["wrong arguments", call({ name: "read_skill", arguments: { id: 5 } })],
    ["a text for an id", { ...call({ name: "list_connections" }), id: "seven" }],
  ])("%s", async (_name, message) => {
    const own = await agent.send(message);
    // A header that says nothing in this revision, and of which a plain call has none.
    const theirs = await agent.send(message, { headers: { "mcp-method": "tools/call" } });
    expect(own.body).toEqual(theirs.body);
    expect(own.status).toBe(theirs.status);
    // An answer that takes longer than a moment comes in pieces, whoever makes it.
    const ofTheMoment = ["date", "content-length", "transfer-encoding"];
    const told = ({ headers: sent }: typeof own) =>
      Object.fromEntries([...sent].filter(([header]) => !ofTheMoment.includes(header)));
    expect(told(own)).toEqual(told(theirs));
  });
});
