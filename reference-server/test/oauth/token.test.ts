import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice, type TokenCall } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const revocations = async () => (await system.audit("grant.revoked")).length;

describe("the token endpoint refuses", () => {
  const form = "application/x-www-form-urlencoded";
  const otherKey = async () => createProofSigner(await generateEs256KeyPair());

  const refusals: readonly {
    name: string;
    change?: Readonly<Record<string, string | undefined>>;
    call?: TokenCall | (() => TokenCall | Promise<TokenCall>);
    status?: number;
    error: string;
  }[] = [
    {
      name: "JSON",
      call: { headers: { "content-type": "application/json" }, body: "{}" },
      error: "invalid_request",
    },
    {
      name: "no content type",
      call: { headers: { "content-type": "" }, body: "a=1" },
      error: "invalid_request",
    },
    {
      name: "bytes that are no UTF-8",
      call: { body: Buffer.from([0x61, 0x3d, 0xff]) },
      error: "invalid_request",
    },
    { name: "a NUL character", change: { code: "a\0b" }, error: "invalid_request" },
    { name: "an empty body", call: { body: "" }, error: "invalid_request" },
    { name: "no grant type", change: { grant_type: undefined }, error: "invalid_request" },
    { name: "an unknown grant type", change: { grant_type: "password" }, error: "unsupported_grant_type" },
    {
      name: "a grant type named like a property",
      change: { grant_type: "constructor" },
      error: "unsupported_grant_type",
    },
    { name: "no client", change: { client_id: undefined }, error: "invalid_client" },
    { name: "an unknown client", change: { client_id: "nobody" }, error: "invalid_client" },
    { name: "a client secret", change: { client_secret: "s" }, error: "invalid_client" },
    {
      name: "basic authentication",
      call: { headers: { authorization: "Basic eDp5" } },
      status: 401,
      error: "invalid_client",
    },
    { name: "no code", change: { code: undefined }, error: "invalid_request" },
    { name: "no redirect URI", change: { redirect_uri: undefined }, error: "invalid_request" },
    { name: "no code verifier", change: { code_verifier: undefined }, error: "invalid_request" },
    { name: "no proof", call: { proofs: [] }, error: "invalid_dpop_proof" },
    {
      name: "two proofs",
      call: () => ({ proofs: [device.proof(), device.proof()] }),
      error: "invalid_dpop_proof",
    },
    { name: "a proof that is none", call: { proofs: ["nonsense"] }, error: "invalid_dpop_proof" },
    {
      name: "a proof for another address",
      call: () => ({
        proofs: [device.signer.sign({ method: "POST", url: "http://127.0.0.1:9/api/oauth/token" })],
      }),
      error: "invalid_dpop_proof",
    },
    {
      name: "a proof for another method",
      call: () => ({
        proofs: [device.signer.sign({ method: "GET", url: `${system.issuer}/api/oauth/token` })],
      }),
      error: "invalid_dpop_proof",
    },
    {
      name: "a proof with another key",
      call: async () => ({
        proofs: [(await otherKey()).sign({ method: "POST", url: `${system.issuer}/api/oauth/token` })],
      }),
      error: "invalid_grant",
    },
    { name: "an unknown code", change: { code: "x".repeat(43) }, error: "invalid_grant" },
    {
      name: "another redirect URI",
      change: { redirect_uri: "http://127.0.0.1:49153/callback" },
      error: "invalid_grant",
    },
    { name: "another code verifier", change: { code_verifier: "y".repeat(43) }, error: "invalid_grant" },
    { name: "a malformed code verifier", change: { code_verifier: "!" }, error: "invalid_grant" },
  ];

  let code: string;
  beforeAll(async () => {
    code = await device.authorize();
  });
  for (const { name, change = {}, call = {}, status = 400, error } of refusals) {
    test(`${name} with ${error}`, async () => {
      const spoilt = typeof call === "function" ? await call() : call;
      const answer = await device.token({ ...device.codeParameters(code), ...change }, spoilt);
      expect(answer.body).toMatchObject({ error });
      expect(answer.body["error_description"]).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    });
  }

  test.each(["grant_type", "client_id", "code", "redirect_uri", "code_verifier"])(
    "%s given twice",
    async (name) => {
      const body = `${new URLSearchParams(device.codeParameters(code)).toString()}&${name}=`;
      expect((await device.token({}, { body })).body).toMatchObject({ error: "invalid_request" });
    },
  );

  test("a body of more than 64 KiB", async () => {
    const answer = await device.token(
      {},
      { headers: { "content-type": form }, body: `a=${"x".repeat(65 * 1024)}` },
    );
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ error: "invalid_request" });
  });

  test("GET", async () => {
    const answer = await fetch(`${system.issuer}/api/oauth/token`);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });

  test("all of this without using up the code", async () => {
    const answer = await device.token(device.codeParameters(code));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toMatchObject({ token_type: "DPoP" });
  });
});

describe("an authorization code", () => {
  test("is good for sixty seconds", async () => {
    const code = await device.authorize();
    system.advance(61);
    const late = await device.token(device.codeParameters(code), { proofs: [proofAt(61)] });
    system.advance(-61);
    expect(late.body).toMatchObject({ error: "invalid_grant" });
    expect((await device.token(device.codeParameters(code))).status).toBe(200);
  });

  test("ends everything it produced when it comes a second time", async () => {
    const code = await device.authorize();
    const first = await device.token(device.codeParameters(code));
    expect((await device.userinfo(first.body["access_token"] ?? "")).status).toBe(200);

    const second = await device.token(device.codeParameters(code));
    expect(second.body).toMatchObject({ error: "invalid_grant" });
    expect((await device.userinfo(first.body["access_token"] ?? "")).body).toMatchObject({
      error: "invalid_token",
    });
    expect((await device.refresh(first.body["refresh_token"] ?? "")).body).toMatchObject({
      error: "invalid_grant",
    });
    expect((await system.audit("grant.revoked")).at(-1)).toMatchObject({ data: { reason: "code_reused" } });
  });

  test("that comes again with the same proof ends nothing, because a replayed proof has no say", async () => {
    const code = await device.authorize();
    const proofs = [device.proof()];
    const before = await revocations();
    const first = await device.token(device.codeParameters(code), { proofs });
    const again = await device.token(device.codeParameters(code), { proofs });
    expect(again.body).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await device.refresh(first.body["refresh_token"] ?? "")).status).toBe(200);
    expect(await revocations()).toBe(before);
  });

  test("presented again without verifier and key ends nothing", async () => {
    const code = await device.authorize();
    const first = await device.token(device.codeParameters(code));
    const before = await revocations();
    const stranger = await RawDevice.create(system.issuer);
    const attempts = [
      await stranger.token(device.codeParameters(code)),
      await stranger.token({ ...device.codeParameters(code), code_verifier: "x".repeat(43) }),
      await device.token({ ...device.codeParameters(code), code_verifier: "x".repeat(43) }),
      await device.token({ ...device.codeParameters(code), redirect_uri: "http://127.0.0.1:1/callback" }),
    ];
    for (const { body } of attempts) expect(body).toMatchObject({ error: "invalid_grant" });
    expect(await revocations()).toBe(before);
    expect((await device.refresh(first.body["refresh_token"] ?? "")).status).toBe(200);
  });

  test("is refused once the person is disabled or has lost the permission", async () => {
    const fred = await RawDevice.create(system.issuer);
    const code = await fred.authorize({}, undefined, "fred");
    const { store } = system.server.context;
    const [row] = await system.database.query<{ id: string }>(
      "SELECT id FROM users WHERE email = 'fred@acme.example'",
    );
    await store.users.setEnabled(row?.id ?? "", false, new Date());
    expect((await fred.token(fred.codeParameters(code))).body).toMatchObject({ error: "invalid_grant" });
    expect((await system.audit("token.refused")).at(-1)).toMatchObject({ data: { reason: "user_disabled" } });
    await store.users.setEnabled(row?.id ?? "", true, new Date());
    expect((await fred.token(fred.codeParameters(code))).status).toBe(200);
  });
});

describe("a proof", () => {
  test("is used up by the request it authorises, and by no refused one", async () => {
    const { refresh_token: token = "" } = await device.signIn();
    const proofs = [device.proof()];
    expect((await device.refresh("x".repeat(43), { proofs })).body).toMatchObject({ error: "invalid_grant" });
    const first = await device.refresh(token, { proofs });
    expect(first.status).toBe(200);
    const replayed = await device.refresh(first.body["refresh_token"] ?? "", { proofs });
    expect(replayed.body).toMatchObject({ error: "invalid_dpop_proof" });
    expect((await device.refresh(first.body["refresh_token"] ?? "")).status).toBe(200);
  });

  test("is good for sixty seconds", async () => {
    const { refresh_token: token = "" } = await device.signIn();
    const proofs = [device.proof()];
    system.advance(62);
    const late = await device.refresh(token, { proofs });
    system.advance(-62);
    expect(late.body).toMatchObject({ error: "invalid_dpop_proof" });
  });
});

/** A proof of the device as if its clock were this much ahead. */
function proofAt(seconds: number): string {
  const clock = () => Date.now() + seconds * 1000;
  return device.at(clock).proof();
}
