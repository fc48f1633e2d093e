import { describe, expect, it } from "vitest";
import { hideCredentials } from "../../src/transport/hide-credentials.js";
import { startTestWorld } from "../support/test-world.js";

describe("hiding credentials", () => {
  it("leaves everything else as it is, and passes it on without waiting for more", async () => {
    const sent: string[] = [];
    async function* source(): AsyncIterable<Uint8Array> {
      yield Buffer.from('data: {"n":1}\n\n');
      sent.push("first");
      yield Buffer.from("data: tok");
      sent.push("second");
      yield Buffer.from("ens\n\n");
    }
    const answer = { status: 200, headers: {}, body: source(), discard: () => undefined };
    const received: string[] = [];
    for await (const chunk of hideCredentials(answer, ["token-1"]).body)
      received.push(`${Buffer.from(chunk).toString()}|${sent.join()}`);
    expect(received).toEqual(['data: {"n":1}\n\n|', "data: |first", "tokens\n\n|first,second"]);
  });

  it("covers token and proof in headers and body, in the length they had", async () => {
    const world = await startTestWorld();
    const client = await world.signedIn();
    world.service.handle = async ({ headers }) => ({
      status: 200,
      headers: { "x-echo": headers.authorization ?? "", location: `/?proof=${String(headers.dpop)}` },
      body: { authorization: headers.authorization, proof: headers.dpop },
    });
    const request = { url: `${world.service.origin}/api`, scopes: ["contracts:read"] };
    const shown = await client.authorizedRequest({ ...request, hideCredentials: true });
    const chunks: Uint8Array[] = [];
    for await (const chunk of shown.body) chunks.push(chunk);
    const { authorization = "", dpop = "" } = world.service.seen.at(-1)?.headers ?? {};
    const token = authorization.replace("DPoP ", "");
    expect(shown.headers).toMatchObject({
      "x-echo": `DPoP ${"*".repeat(token.length)}`,
      location: `/?proof=${"*".repeat(dpop.length)}`,
    });
    expect(JSON.parse(Buffer.concat(chunks).toString())).toEqual({
      authorization: `DPoP ${"*".repeat(token.length)}`,
      proof: "*".repeat(dpop.length),
    });
    const plain = await client.authorizedFetch(request.url, {}, request);
    expect(plain.headers.get("x-echo")).toBe(authorization);
    await world.close();
  });

  it("keeps them out of the words of a refusal", async () => {
    const world = await startTestWorld();
    const client = await world.signedIn();
    world.service.fail("/oauth/token", ({ form }) => ({
      status: 400,
      body: { error: "invalid_grant", error_description: `Bad assertion: ${form.get("assertion") ?? ""}` },
    }));
    const request = { url: `${world.service.origin}/api`, scopes: ["contracts:read"] };
    const error: unknown = await client.authorizedRequest(request).catch((reason: unknown) => reason);
    const assertion = world.service.seen.at(-1)?.form.get("assertion") ?? "";
    expect(assertion).toMatch(/^eyJ/);
    expect(String(error)).not.toContain(assertion.slice(0, 20));
    expect(String(error)).toContain('It answered: "invalid_grant: Bad assertion: ****');
    await world.close();
  });
});
