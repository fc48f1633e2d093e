import { afterAll, beforeAll, expect, test } from "vitest";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
let tokens: Record<string, string>;
let url: string;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  tokens = await device.signIn();
  url = `${system.issuer}/api/oauth/userinfo`;
});
afterAll(() => system.close());

const accessToken = () => tokens["access_token"] ?? "";
const proof = (changes: { method?: string; accessToken?: string; url?: string } = {}) =>
  device.signer.sign({ method: "GET", url, accessToken: accessToken(), ...changes });

async function get(headers: Record<string, string> | [string, string][], path = "") {
  const response = await fetch(`${url}${path}`, { headers });
  const body = (await response.json()) as Record<string, string>;
  return { status: response.status, challenge: response.headers.get("www-authenticate"), body };
}

test("userinfo answers GET and POST", async () => {
  const headers = { authorization: `DPoP ${accessToken()}`, dpop: proof() };
  expect((await get(headers)).body).toMatchObject({ email: "ada@acme.example" });
  const posted = await fetch(url, {
    method: "POST",
    headers: { ...headers, dpop: proof({ method: "POST" }) },
  });
  expect(posted.status).toBe(200);
});

test("userinfo tells only what the scopes allow", async () => {
  const narrow = await RawDevice.create(system.issuer);
  const own = await narrow.signIn({ scope: "openid authz:login" });
  const { body } = await narrow.userinfo(own["access_token"] ?? "");
  expect(Object.keys(body)).toStrictEqual(["sub"]);
  const none = await RawDevice.create(system.issuer);
  const without = await none.signIn({ scope: "authz:login" });
  const refused = await none.userinfo(without["access_token"] ?? "");
  expect(refused.status).toBe(403);
  expect(refused.headers.get("www-authenticate")).toBe(
    'DPoP algs="ES256", error="insufficient_scope", scope="openid"',
  );
});

const refusals: readonly {
  name: string;
  headers: () => Record<string, string> | [string, string][];
  path?: string;
  status: number;
  error: string;
}[] = [
  { name: "no credentials", headers: () => ({}), status: 401, error: "unauthorized" },
  {
    name: "another scheme",
    headers: () => ({ authorization: "Basic eDp5" }),
    status: 401,
    error: "unauthorized",
  },
  {
    name: "no proof",
    headers: () => ({ authorization: `DPoP ${accessToken()}` }),
    status: 401,
    error: "invalid_dpop_proof",
  },
  {
    name: "two proofs",
    headers: () => [
      ["authorization", `DPoP ${accessToken()}`],
      ["dpop", proof()],
      ["dpop", proof()],
    ],
    status: 401,
    error: "invalid_dpop_proof",
  },
  {
    name: "a bound token as bearer",
    headers: () => ({ authorization: `Bearer ${accessToken()}`, dpop: proof() }),
    status: 401,
    error: "invalid_token",
  },
  ...[" \t", " \u{A0}", "\u{A0}"].map((space) => ({
    name: `${JSON.stringify(space)} between scheme and token`,
    headers: () => ({ authorization: `DPoP${space}${accessToken()}`, dpop: proof() }),
    status: 401,
    error: space.startsWith(" ") ? "invalid_token" : "unauthorized",
  })),
  {
    name: "a no-break space behind the token",
    headers: () => ({ authorization: `DPoP ${accessToken()}\u{A0}`, dpop: proof() }),
    status: 401,
    error: "invalid_token",
  },
  {
    name: "a no-break space in front of the scheme",
    headers: () => ({ authorization: `\u{A0}DPoP ${accessToken()}`, dpop: proof() }),
    status: 401,
    error: "unauthorized",
  },
  {
    name: "no token",
    headers: () => ({ authorization: "DPoP", dpop: proof() }),
    status: 401,
    error: "invalid_token",
  },
  {
    name: "a token that is none",
    headers: () => ({ authorization: "DPoP nonsense", dpop: proof({ accessToken: "nonsense" }) }),
    status: 401,
    error: "invalid_token",
  },
  {
    name: "an ID token",
    headers: () => ({
      authorization: `DPoP ${tokens["id_token"]}`,
      dpop: proof({ accessToken: tokens["id_token"] ?? "" }),
    }),
    status: 401,
    error: "invalid_token",
  },
  {
    name: "a proof of another token",
    headers: () => ({ authorization: `DPoP ${accessToken()}`, dpop: proof({ accessToken: "other" }) }),
    status: 401,
    error: "invalid_dpop_proof",
  },
  {
    name: "a proof for another method",
    headers: () => ({ authorization: `DPoP ${accessToken()}`, dpop: proof({ method: "POST" }) }),
    status: 401,
    error: "invalid_dpop_proof",
  },
  {
    name: "a token in the query",
    headers: () => ({ authorization: `DPoP ${accessToken()}`, dpop: proof() }),
    path: "?access_token=x",
    status: 400,
    error: "invalid_request",
  },
];
test.each(refusals)("userinfo refuses $name with $error", async ({ headers, path, status, error }) => {
  const answer = await get(headers(), path);
  expect(answer.status).toBe(status);
  expect(answer.body["error"]).toBe(error);
  const code = error === "unauthorized" ? "" : `, error="${error}"`;
  expect(answer.challenge).toBe(`DPoP algs="ES256"${code}`);
});

test("userinfo refuses a token in the body, another key, a replayed proof and an expired token", async () => {
  const headers = { authorization: `DPoP ${accessToken()}`, dpop: proof({ method: "POST" }) };
  const body = new URLSearchParams({ access_token: accessToken() });
  expect((await fetch(url, { method: "POST", headers, body })).status).toBe(400);

  const thief = await RawDevice.create(system.issuer);
  expect((await thief.userinfo(accessToken())).body).toMatchObject({ error: "invalid_token" });

  const used = { authorization: `DPoP ${accessToken()}`, dpop: proof() };
  expect((await get(used)).status).toBe(200);
  expect((await get(used)).body).toMatchObject({ error: "invalid_dpop_proof" });

  system.advance(301);
  const late = device.at(() => Date.now() + 301_000);
  const expired = await late.userinfo(accessToken());
  system.advance(-301);
  expect(expired.body).toMatchObject({ error: "invalid_token" });
});

test("userinfo refuses a person who was disabled", async () => {
  const clara = await RawDevice.create(system.issuer);
  const { store } = system.server.context;
  const scope = "authz:login";
  await store.assignments.insertMissing(
    { id: crypto.randomUUID(), email: "clara@acme.example", scope },
    new Date(),
  );
  const own = await clara.signIn({}, undefined, "clara");
  const { body } = await clara.userinfo(own["access_token"] ?? "");
  await store.users.setEnabled(body["sub"] ?? "", false, new Date());
  expect((await clara.userinfo(own["access_token"] ?? "")).body).toMatchObject({ error: "invalid_token" });
});
