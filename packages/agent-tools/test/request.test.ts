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

  it("takes 100 headers of 16 KiB in all, and no more", async () => {
    const named = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${String(1000 + index)}`, value]));
    expect((await sentFor({ headers: named(100, "1") })).headers).toHaveLength(100);
    expect((await sentFor({ headers: { a: "1".repeat(16 * 1024 - 1) } })).headers).toHaveLength(1);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const headers of [named(101, "1"), { a: "1".repeat(16 * 1024) }, named(80_005, "")])
      await expect(sentFor({ headers })).rejects.toThrow("at most 100, with 16 KiB in all");
  });

  it.each([["Accept: text/csv"], [["Accept: text/csv"]], [{ accept: ["a", "b"] }], [7]])(
    "refuses %j as headers",
    async (headers) => {
      await expect(sentFor({ headers })).rejects.toThrow('"headers" must be an object');
    },
  );
});
