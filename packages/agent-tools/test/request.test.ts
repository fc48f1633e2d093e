import { describe, expect, it } from "vitest";
import type { AgentRequest } from "../src/index.js";
import { agentTools } from "../src/tools.js";
import { answerOf, askOverHttp, callsFor, seen } from "./support.js";

/** What is sent for these arguments. */
async function sentFor(args: object): Promise<Partial<AgentRequest>> {
  const sent: AgentRequest[] = [];
  const calls = {
    ...callsFor(seen()),
    request: async (request: AgentRequest) => {
      sent.push(request);
      return await Promise.resolve(answerOf(""));
    },
  };
  const tool = agentTools.find(({ name }) => name === "request");
  await tool?.call(calls, { url: "https://a.example/", ...args }, new AbortController().signal);
  return sent[0] ?? {};
}

describe("request", () => {
  it("sends a body with POST unless another method is named", async () => {
    expect(await sentFor({ body: "{}" })).toMatchObject({ method: "POST", body: "{}" });
    expect(await sentFor({ body: "{}", method: "PUT" })).toMatchObject({ method: "PUT" });
    expect(await sentFor({})).toMatchObject({ method: undefined });
  });

  it("takes headers by their names", async () => {
    const { headers } = await sentFor({ headers: { Accept: "text/csv", "X-Page": 2 } });
    expect(headers).toEqual([
      ["Accept", "text/csv"],
      ["X-Page", "2"],
    ]);
  });

  it("takes 100 headers of 16 KiB in all, and no more", async () => {
    const named = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${String(1000 + index)}`, value]));
    expect((await sentFor({ headers: named(100, "1") })).headers).toHaveLength(100);
    expect((await sentFor({ headers: { a: "1".repeat(16 * 1024 - 1) } })).headers).toHaveLength(1);
    for (const headers of [named(101, "1"), { a: "1".repeat(16 * 1024) }, named(80_005, "")])
      await expect(sentFor({ headers })).rejects.toThrow("at most 100, with 16 KiB in all");
  });

  it.each([["Accept: text/csv"], [["Accept: text/csv"]], [{ accept: ["a", "b"] }], [7]])(
    "refuses %j as headers",
    async (headers) => {
      await expect(sentFor({ headers })).rejects.toThrow('"headers" must be an object');
    },
  );

  it("sends an object or a list as JSON, and a text as it is", async () => {
    expect(await sentFor({ body: { customer: "Acme" } })).toMatchObject({
      method: "POST",
      body: '{"customer":"Acme"}',
      headers: [["content-type", "application/json"]],
    });
    expect(await sentFor({ body: [1, "@b"] })).toMatchObject({ body: '[1,"@b"]' });
    expect(await sentFor({ body: "to @ada" })).toMatchObject({ body: "to @ada" });
    expect(await sentFor({ body: "@ada\n" })).toMatchObject({ body: "@ada\n" });
  });

  it.each([
    ["a file", { body: "@contract.json" }, 'no file is read. Write the content of "contract.json"'],
    ["a number", { body: 5 }, '"body" must be a string.'],
    ["a number that parsers round", { body: { id: Number("1146789012345678901") } }, 'Write "body" as text.'],
  ])("refuses %s as a body", async (_name, args, says) => {
    await expect(sentFor(args)).rejects.toThrow(says);
  });
});

describe("a mistake in the arguments", () => {
  const call = async (name: string, args: object) =>
    (await askOverHttp(seen(), "tools/call", { name, arguments: args })).result;

  it.each([
    ["request", { url: "https://a.example/", method: "POST", data: {} }, 'use "body"'],
    ["request", { url: "https://a.example/", json: {} }, 'use "body"'],
    ["request", { URL: "https://a.example/" }, 'use "url"'],
    ["request", { url: "https://a.example/", scope: "a:b" }, 'use "scopes"'],
    ["request", { url: "https://a.example/", http_method: "POST" }, 'use "method"'],
    ["read_skill", { skill_id: "a.b" }, 'use "id"'],
    ["find_skills", { q: "a" }, 'use "query"'],
    ["explain", { url: "https://a.example/", reason: "x" }, 'use "ask"'],
    ["explain", { url: "https://a.example/", constructor: "x" }, "It takes url, scopes, connection, ask."],
    ["explain", { url: "https://a.example/", ["__proto__x"]: "x" }, "It takes url"],
  ])("is a result of %s that names the right one: %j", async (name, args, says) => {
    const result = await call(name, args);
    expect(result).toMatchObject({ isError: true });
    const [{ text } = { text: "" }] = (result?.content ?? []) as { text: string }[];
    expect(text).toMatch(/^invalid_request: /);
    expect(text).toContain(says);
  });

  it("is none where a host gives a tool without arguments one of its own", async () => {
    expect(await call("list_connections", { random_string: "x" })).not.toHaveProperty("isError");
  });

  it("is an error of the protocol only where there is no such tool", async () => {
    const { error } = await askOverHttp(seen(), "tools/call", { name: "sing", arguments: {} });
    expect(error).toMatchObject({ code: -32_602, message: 'There is no tool "sing".' });
  });
});
