import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createTestIssuer } from "@authz/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp, scopes } from "../src/app.js";

describe("The MCP server", async () => {
  const issuer = await createTestIssuer({ supportedScopes: scopes });
  const { app } = createApp(issuer.url, issuer.options);
  let server: Server;
  let address = "";

  beforeAll(async () => {
    server = app.listen(0, "127.0.0.1");
    await once(server, "listening");
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(() => void server.close());

  it("lists its tools for callers who may read contracts", async () => {
    const { body } = await post("tools/list", {}, ["contracts:read"]);
    expect(body.result?.tools?.map(({ name }) => name)).toEqual(["list_contracts", "create_contract"]);
  });

  it("lists the contracts, and says for whom", async () => {
    const { body } = await post("tools/call", { name: "list_contracts", arguments: {} }, ["contracts:read"]);
    expect(JSON.parse(body.result?.content?.[0]?.text ?? "")).toMatchObject({
      requested_by: "ada",
      contracts: [{ id: "C-1001" }, { id: "C-1002" }],
    });
  });

  it("creates a contract for callers who may write", async () => {
    const call = { name: "create_contract", arguments: { customer: "Acme" } };
    const { body } = await post("tools/call", call, ["contracts:read", "contracts:write"]);
    expect(JSON.parse(body.result?.content?.[0]?.text ?? "")).toEqual({
      id: "C-1003",
      customer: "Acme",
      status: "draft",
    });
  });

  it("asks for the scopes of the tool, and for the one to connect", async () => {
    const call = { name: "create_contract", arguments: { customer: "Acme" } };
    const refused = await post("tools/call", call, ["contracts:read"]);
    expect(refused.status).toBe(403);
    expect(refused.challenge).toContain('error="insufficient_scope"');
    expect(refused.challenge).toContain('scope="contracts:read contracts:write"');
    const stranger = await fetch(address, { method: "POST" });
    expect(stranger.status).toBe(401);
    expect(stranger.headers.get("www-authenticate")).toContain('scope="contracts:read"');
  });

  it("asks for the scopes of a tool that stands among other messages", async () => {
    const call = { name: "create_contract", arguments: { customer: "Acme" } };
    const messages = [message("tools/list", {}), { ...message("tools/call", call), id: 2 }];
    expect(await send(messages, ["contracts:read"])).toMatchObject({ status: 403 });
  });

  /** The part of an answer that these tests look at. */
  interface Answer {
    readonly result?: {
      readonly tools?: readonly { readonly name: string }[];
      readonly content?: readonly { readonly text: string }[];
    };
  }

  function message(method: string, params: object): object {
    return { jsonrpc: "2.0", id: 1, method, params };
  }

  function post(method: string, params: object, granted: readonly string[]) {
    return send(message(method, params), granted);
  }

  async function send(body: unknown, granted: readonly string[]) {
    const signed = await issuer.signRequest({
      method: "POST",
      url: "/mcp",
      scopes: granted,
      subject: "ada",
    });
    const answer = await fetch(address, {
      method: "POST",
      headers: {
        ...signed,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const json = text.startsWith("{") ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? "{}");
    return {
      status: answer.status,
      challenge: answer.headers.get("www-authenticate"),
      body: JSON.parse(json) as Answer,
    };
  }
});
