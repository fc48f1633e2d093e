import { createHash } from "node:crypto";
import type { AuthzOptions, Skill } from "@authz/verify";
import { describe, expect, test } from "vitest";
import { errorOf } from "../support/expect.js";
import { otherKey, serviceKey, signDraft } from "../support/jwt.js";
import {
  changes,
  formRefusals,
  identifierRefusals,
  type JwtRefusal,
  lifetimeRefusals,
} from "../support/jwt-refusals.js";
import {
  accessTokenDraft,
  catalogDraft,
  createWorld,
  issuer,
  jwtBearer,
  jwtDpop,
  publicOrigin,
  resource,
  signingKey,
  startSeconds,
  tokenEndpoint,
} from "../support/world.js";

const { set, setHeader } = changes;

const skills: readonly Skill[] = [
  {
    id: "list-contracts",
    title: "List contracts",
    description: 'Lists contracts: "all" of them.',
    requiredScopes: ["contracts:read"],
    visibility: "DEFAULT",
    content: "Run `authz request`.",
  },
  {
    id: "sign-contract",
    title: "Sign a contract",
    requiredScopes: ["contracts:sign"],
    visibility: "HIDDEN_IF_UNALLOWED",
    content: "Secret.",
  },
];

function paths(options: Partial<AuthzOptions>): readonly string[] {
  return createWorld(options).authz.routes.map(({ method, path }) => `${method} ${path}`);
}

describe("the routes are", () => {
  const always = [
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/api",
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/jwks.json",
    "POST /oauth/token",
    "GET /oauth/authorize",
  ];

  test("discovery, keys and tokens", () => {
    expect(paths({})).toEqual(always);
  });

  test("with skills, the catalog as well", () => {
    expect(paths({ skills: { items: skills } })).toEqual([
      ...always,
      "GET /.well-known/skills",
      "GET /.well-known/skills/files/:digest",
    ]);
  });

  test.each([
    { name: "known at start", source: { items: skills } },
    { name: "loaded", source: { load: () => skills } },
  ])("with the Agent Skills index, that and the files, for skills that are $name", ({ source }) => {
    expect(paths({ skills: { ...source, agentSkillsIndex: true } })).toEqual([
      ...always,
      "GET /.well-known/skills",
      "GET /.well-known/skills/files/:digest",
      "GET /.well-known/agent-skills/index.json",
      "GET /.well-known/agent-skills/:name/SKILL.md",
      "GET /.well-known/agent-skills/:name/skill.tar.gz",
    ]);
  });
});

const root = "/.well-known/oauth-protected-resource";

const protectedResource = {
  resource,
  authorization_servers: [issuer, publicOrigin],
  scopes_supported: ["contracts:read", "contracts:write", "contracts:sign"],
  bearer_methods_supported: ["header"],
  dpop_signing_alg_values_supported: ["ES256"],
  dpop_bound_access_tokens_required: true,
  token_status_list_supported: true,
  txn_challenge_jwks_uri: `${publicOrigin}/.well-known/jwks.json`,
  txn_challenge_signing_alg_values_supported: ["ES256"],
};

describe("the metadata", () => {
  test("of the resource is the same at both paths", async () => {
    const world = createWorld();
    for (const path of [
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/api",
    ]) {
      expect(JSON.parse((await world.get(path)).body)).toEqual(protectedResource);
    }
  });

  test.each([
    { resource: publicOrigin, path: root },
    { resource: `${publicOrigin}/`, path: root },
    { resource: `${publicOrigin}/mcp`, path: `${root}/mcp` },
    { resource: `${publicOrigin}/mcp/`, path: `${root}/mcp/` },
    { resource: `${publicOrigin}/v1/contracts.eu`, path: `${root}/v1/contracts.eu` },
  ])("of the resource $resource is at $path, and challenges say so", async ({ resource: own, path }) => {
    const world = createWorld({ resource: own });
    const mounted = world.authz.routes.map((route) => route.path).filter((one) => one.startsWith(root));
    expect(mounted).toEqual([...new Set([root, path])]);
    for (const one of mounted) {
      const metadata = JSON.parse((await world.get(one)).body) as object;
      expect(metadata).toMatchObject({ resource: own === `${publicOrigin}/` ? publicOrigin : own });
    }
    const { refusal } = await world.authz.decide({ method: "GET", url: "/x", authorization: [], dpop: [] });
    expect(refusal?.headers["www-authenticate"]).toContain(`resource_metadata="${publicOrigin}${path}"`);
  });

  test("of the resource names what is switched on", async () => {
    const world = createWorld({
      resourceName: "Contracts",
      dpop: "allowed",
      skills: { items: skills },
      statusList: false,
    });
    expect(JSON.parse((await world.get("/.well-known/oauth-protected-resource")).body)).toEqual({
      ...protectedResource,
      dpop_bound_access_tokens_required: false,
      token_status_list_supported: false,
      resource_name: "Contracts",
      skills_endpoint: `${publicOrigin}/.well-known/skills`,
    });
  });

  test("of the authorization server describes the token endpoint", async () => {
    const world = createWorld();
    expect(JSON.parse((await world.get("/.well-known/oauth-authorization-server")).body)).toEqual({
      issuer: publicOrigin,
      authorization_endpoint: `${publicOrigin}/oauth/authorize`,
      token_endpoint: tokenEndpoint,
      jwks_uri: `${publicOrigin}/.well-known/jwks.json`,
      scopes_supported: protectedResource.scopes_supported,
      response_types_supported: [],
      grant_types_supported: [jwtBearer, jwtDpop],
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
      dpop_signing_alg_values_supported: ["ES256"],
      token_endpoint_auth_methods_supported: ["none"],
    });
  });

  test("has the public keys only", async () => {
    const world = createWorld({
      signingKeys: [signingKey, { kid: "next", ...otherKey }],
      ...({ signingKey: undefined } as object),
    });
    const { x, y } = serviceKey.publicJwk;
    expect(JSON.parse((await world.get("/.well-known/jwks.json")).body)).toEqual({
      keys: [
        { kty: "EC", crv: "P-256", x, y, kid: "service-1", use: "sig", alg: "ES256" },
        { ...otherKey.publicJwk, kid: "next", use: "sig", alg: "ES256" },
      ],
    });
  });
});

describe("a public document", () => {
  const documents = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/.well-known/jwks.json",
    "/.well-known/agent-skills/index.json",
    "/.well-known/agent-skills/list-contracts/SKILL.md",
  ];
  const options = { skills: { items: skills, agentSkillsIndex: true } };

  test.each(documents)("may be cached and read by browsers: %s", async (path) => {
    const answer = await createWorld(options).get(path);
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        "cache-control": "public, max-age=300",
        "access-control-allow-origin": "*",
        etag: expect.stringMatching(/^"[A-Za-z0-9_-]{43}"$/) as unknown,
        "content-type": path.endsWith(".md") ? "text/markdown; charset=utf-8" : "application/json",
      },
    });
  });

  test.each([
    ["the tag", (etag: string) => [etag]],
    ["the weak tag", (etag: string) => [`W/${etag}`]],
    ["the tag among others", (etag: string) => [`"x", ${etag} , "y"`]],
    ["the tag on a second line", (etag: string) => ['"x"', etag]],
    ["anything", () => ["*"]],
  ])("is not sent again to who has %s", async (_name, ifNoneMatch) => {
    const world = createWorld(options);
    const { headers } = await world.get("/.well-known/jwks.json");
    const etag = String(headers["etag"]);
    const answer = await world.get("/.well-known/jwks.json", { ifNoneMatch: ifNoneMatch(etag) });
    expect(answer).toEqual({
      status: 304,
      headers: { etag, "cache-control": "public, max-age=300", "access-control-allow-origin": "*" },
      body: "",
    });
  });

  test("is sent to who has another version", async () => {
    const answer = await createWorld(options).get("/.well-known/jwks.json", { ifNoneMatch: ['"other"'] });
    expect(answer.status).toBe(200);
  });
});

test("the authorization endpoint refuses and explains", async () => {
  const answer = await createWorld().get("/oauth/authorize");
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toEqual({
    error: "unsupported_response_type",
    error_description: "This server accepts only identity assertions. Nobody signs in here.",
  });
});

describe("the files of skills", () => {
  const bytes = Uint8Array.of(0x89, 0, 0xff);
  const [first] = skills;
  if (first === undefined) throw new Error("There is no skill.");
  const files = [
    { path: "references/errors.md", content: "é" },
    { path: "assets/logo.png", content: bytes },
  ];
  const items = [{ ...first, visibility: "HIDDEN_IF_UNALLOWED" as const, files }];
  const hexOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
  const addressOf = (content: string | Uint8Array): string => `/.well-known/skills/files/${hexOf(content)}`;
  const asService = () => ({ authorization: [`Bearer ${signDraft(catalogDraft())}`] });

  test("are named in the catalog, with sizes and digests, and not given there", async () => {
    const answer = await createWorld({ skills: { items } }).get("/.well-known/skills", asService());
    const { files: _files, ...skill } = items[0] ?? first;
    expect(JSON.parse(answer.body)).toEqual({
      skills: [
        {
          ...skill,
          files: [
            { path: "references/errors.md", size: 2, digest: `sha256:${hexOf("é")}` },
            { path: "assets/logo.png", size: 3, digest: `sha256:${hexOf(bytes)}` },
          ],
        },
      ],
    });
  });

  test("are given to the authorization server byte for byte", async () => {
    const world = createWorld({ skills: { items } });
    for (const content of ["é", bytes]) {
      expect(await world.get(addressOf(content), asService())).toEqual({
        status: 200,
        headers: {
          "content-type": "application/octet-stream",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
        body: Buffer.from(content).toString("latin1"),
      });
    }
  });

  test("are given only to the authorization server, and once per assertion", async () => {
    const world = createWorld({ skills: { items } });
    expect((await world.get(addressOf("é"))).status).toBe(401);
    const asPerson = { authorization: [`Bearer ${signDraft(accessTokenDraft())}`] };
    expect((await world.get(addressOf("é"), asPerson)).status).toBe(401);
    const once = asService();
    expect((await world.get("/.well-known/skills", once)).status).toBe(200);
    expect((await world.get(addressOf("é"), once)).status).toBe(401);
  });

  test.each([
    hexOf("nothing"),
    hexOf("é").toUpperCase(),
    `sha256:${hexOf("é")}`,
    "references%2Ferrors.md",
    "..",
    "__proto__",
  ])("are nowhere else: %s", async (name) => {
    const answer = await createWorld({ skills: { items } }).get(
      `/.well-known/skills/files/${name}`,
      asService(),
    );
    expect([answer.status, errorOf(answer)]).toEqual([404, "not_found"]);
  });

  test("are found by a process that has not told of them", async () => {
    let current: readonly Skill[] = [];
    const world = createWorld({ skills: { load: () => Promise.resolve(current) } });
    expect((await world.get(addressOf("é"), asService())).status).toBe(404);
    current = items;
    expect((await world.get(addressOf("é"), asService())).status).toBe(200);
  });
});

describe("the skill catalog", () => {
  const path = "/.well-known/skills";

  test("gives the authorization server everything, hidden skills included", async () => {
    const world = createWorld({ skills: { items: skills } });
    const answer = await world.get(path, { authorization: [`Bearer ${signDraft(catalogDraft())}`] });
    expect(answer).toMatchObject({
      status: 200,
      headers: { "content-type": "application/json", "cache-control": "no-store" },
    });
    expect(JSON.parse(answer.body)).toEqual({ skills });
  });

  test("is loaded anew for every request", async () => {
    let calls = 0;
    const load = (): Promise<readonly Skill[]> => Promise.resolve(skills.slice(0, calls++));
    const world = createWorld({ skills: { load } });
    for (const expected of [[], skills.slice(0, 1)]) {
      const answer = await world.get(path, { authorization: [`Bearer ${signDraft(catalogDraft())}`] });
      expect(JSON.parse(answer.body)).toEqual({ skills: expected });
    }
  });

  test("that loads something invalid is the application's error, not an answer", async () => {
    const world = createWorld({ skills: { load: () => [{ id: "X" }] as unknown as readonly Skill[] } });
    await expect(
      world.get(path, { authorization: [`Bearer ${signDraft(catalogDraft())}`] }),
    ).rejects.toMatchObject({ name: "SkillError" });
  });

  test("is asked for once with one assertion", async () => {
    const world = createWorld({ skills: { items: skills } });
    const authorization = [`Bearer ${signDraft(catalogDraft())}`];
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.get(path, { authorization })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(new Set(world.reasons())).toEqual(new Set(["jwt_replayed"]));
  });

  test("answers 503 when the replay store is away", async () => {
    const replayStore = { consume: () => Promise.reject(new Error("away")) };
    const world = createWorld({ skills: { items: skills }, replayStore });
    const answer = await world.get(path, { authorization: [`Bearer ${signDraft(catalogDraft())}`] });
    expect([answer.status, errorOf(answer)]).toEqual([503, "temporarily_unavailable"]);
  });

  test("challenges who comes without credentials", async () => {
    const answer = await createWorld({ skills: { items: skills } }).get(path);
    expect([answer.status, errorOf(answer)]).toEqual([401, "unauthorized"]);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="skills"');
    expect(answer.body).not.toContain("DPoP");
  });

  test("does not take an access token", async () => {
    const world = createWorld({ skills: { items: skills } });
    const answer = await world.get(path, { authorization: [`Bearer ${signDraft(accessTokenDraft())}`] });
    expect(errorOf(answer)).toBe("invalid_token");
  });

  test("does not take the DPoP scheme", async () => {
    const world = createWorld({ skills: { items: skills } });
    await world.get(path, { authorization: [`DPoP ${signDraft(catalogDraft())}`] });
    expect(world.reasons()).toEqual(["scheme_not_accepted"]);
  });

  const refusals: readonly JwtRefusal[] = [
    ...formRefusals,
    ...lifetimeRefusals(startSeconds, 60),
    ...identifierRefusals("jti", "jwt_id"),
    ...identifierRefusals("sub", "jwt_subject"),
    { name: "is an identity assertion", change: setHeader("typ", "oauth-id-jag+jwt"), reason: "jwt_type" },
    { name: "is from another issuer", change: set("iss", "https://evil.example"), reason: "jwt_issuer" },
    { name: "is from this service", change: set("iss", publicOrigin), reason: "jwt_issuer" },
    { name: "is for a person", change: set("sub", "user-1"), reason: "jwt_subject" },
    { name: "is for the resource", change: set("aud", resource), reason: "jwt_audience" },
    {
      name: "is for another service",
      change: set("aud", "https://other.example.com"),
      reason: "jwt_audience",
    },
    { name: "is for two services", change: set("aud", [publicOrigin, issuer]), reason: "jwt_audience" },
  ];

  test.each(refusals)("refuses a service assertion that $name", async ({ change, reason }) => {
    const world = createWorld({ skills: { items: skills } });
    const draft = catalogDraft();
    change(draft);
    const answer = await world.get(path, { authorization: [`Bearer ${signDraft(draft)}`] });
    expect(world.reasons()).toEqual([reason]);
    expect([answer.status, errorOf(answer)]).toEqual([401, "invalid_token"]);
    expect(answer.headers["www-authenticate"]).toBe('Bearer realm="skills", error="invalid_token"');
  });
});
