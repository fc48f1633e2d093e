import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hideCredentials } from "../../src/transport/hide-credentials.js";
import { startTestWorld } from "../support/test-world.js";

async function covered(chunks: readonly string[], credentials: readonly string[]): Promise<string> {
  const { body } = hideCredentials(
    {
      status: 200,
      headers: {},
      body: (async function* () {
        for (const chunk of chunks) yield Buffer.from(chunk);
      })(),
      discard: () => undefined,
    },
    credentials,
  );
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Cuts a text into pieces at the given places. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const edges = [...new Set([0, ...places.map((place) => place % (text.length + 1)), text.length])];
  edges.sort((a, b) => a - b);
  return edges.slice(1).map((end, index) => text.slice(edges[index], end));
}

describe("hiding credentials", () => {
  it("covers every one of them, however the body is cut", async () => {
    // Few letters, so that beginnings of credentials occur everywhere.
    const word = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 3, maxLength: 8 });
    const filler = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        word,
        fc.array(filler, { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (credential, fillers, places) => {
          const text = fillers.join(credential);
          expect(await covered(cut(text, places), [credential])).toBe(
            text.replaceAll(credential, "*".repeat(credential.length)),
          );
        },
      ),
    );
  });

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

  const spellings = [
    { name: "as it is", echo: "DPoP a+b/c==", shown: "DPoP *******" },
    { name: "percent-encoded", echo: "token=a%2Bb%2Fc%3D%3D&x=1", shown: "token=***************&x=1" },
    { name: "with JSON's optional escape", echo: '{"t":"a+b\\/c=="}', shown: '{"t":"********"}' },
    { name: "twice in a row", echo: "a+b/c==a+b/c==", shown: "**************" },
  ];
  for (const { name, echo, shown } of spellings) {
    it(`finds a credential ${name}`, async () => {
      expect(await covered([echo], ["a+b/c=="])).toBe(shown);
    });
  }

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
