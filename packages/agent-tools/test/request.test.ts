import { describe, expect, it } from "vitest";
import type { AgentRequest } from "../src/index.js";
import { TOOLS } from "../src/tools.js";
import { answerOf, callsFor, seen } from "./support.js";

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
  const tool = TOOLS.find(({ name }) => name === "request");
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

  it.each([["Accept: text/csv"], [["Accept: text/csv"]], [{ accept: ["a", "b"] }], [7]])(
    "refuses %j as headers",
    async (headers) => {
      await expect(sentFor({ headers })).rejects.toThrow('"headers" must be an object');
    },
  );
});
