import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { StartAdapter } from "./contract-app.js";
import { publicOrigin, signed, withFixture } from "./fixture.js";

const metadataPaths = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/api",
  "/.well-known/oauth-authorization-server",
  "/.well-known/jwks.json",
];

const skill = {
  id: "list-contracts",
  title: "List contracts",
  requiredScopes: ["contracts:read"],
  visibility: "HIDDEN_IF_UNALLOWED",
  content: "Run `authz request`.",
} as const;

const publicSkill = { ...skill, id: "list-customers", visibility: "DEFAULT" } as const;

const files = [
  { path: "references/errors.md", content: "# Fehler — é\n" },
  {
    path: "assets/logo.png",
    content: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff),
  },
  { path: "scripts/empty.sh", content: "" },
] as const;

const digestOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

const withFiles = { ...publicSkill, id: "list-people", files } as const;

/** Resources, and where the metadata of each belongs (RFC 9728 §3.1). */
const resources = [
  { resource: publicOrigin, path: "" },
  { resource: `${publicOrigin}/mcp`, path: "/mcp" },
  { resource: `${publicOrigin}/v1/contracts_2.0~beta`, path: "/v1/contracts_2.0~beta" },
];

/** The documents that `registerRoutes` adds. */
export function describePublishedRoutes(start: StartAdapter): void {
  describeResources(start);
  describeDocuments(start);
  describeSkills(start);
}

function describeResources(start: StartAdapter): void {
  describe.each(resources)("as the resource $resource", ({ resource, path }) => {
    const fixture = withFixture(start, { resource });
    const target = `/.well-known/oauth-protected-resource${path}`;

    it("publishes its metadata below the same path, and in challenges", async () => {
      const metadata = await fixture().send({ target });
      expect(metadata.status).toBe(200);
      expect(JSON.parse(metadata.body)).toMatchObject({ resource });
      const plain = await fixture().send({ target: "/.well-known/oauth-protected-resource" });
      expect(plain.body).toBe(metadata.body);
      const refused = await fixture().send({ target: "/api/contracts" });
      expect(refused.headers.get("www-authenticate")?.join()).toContain(
        `resource_metadata="${publicOrigin}${target}"`,
      );
    });

    it.each([{}, { app: "https://agent.example/client.json" }, { machine: "nightly-report" }])(
      "takes the tokens for it, of %o",
      async (caller) => {
        const request = await signed(fixture(), { url: "/api/contracts", ...caller });
        expect((await fixture().send(request)).status).toBe(200);
      },
    );
  });
}

function describeDocuments(start: StartAdapter): void {
  describe("publishes", () => {
    const fixture = withFixture(start);

    it.each(metadataPaths)("%s without authorization, with a lifetime and a tag", async (target) => {
      const { status, headers } = await fixture().send({ target });
      expect(status).toBe(200);
      expect(headers.get("content-type")).toEqual([expect.stringMatching(/^application\/(jwk-set\+)?json$/)]);
      expect(headers.get("cache-control")).toEqual(["public, max-age=300"]);
      expect(headers.get("access-control-allow-origin")).toEqual(["*"]);
      expect(headers.get("etag")?.[0]).toMatch(/^"[^"]+"$/);
    });

    it.each(metadataPaths)("%s as 304 to a caller with its tag", async (target) => {
      const etag = (await fixture().send({ target })).headers.get("etag")?.[0] ?? "";
      const again = await fixture().send({ target, headers: [["If-None-Match", etag]] });
      expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: "" });
      expect(again.headers.get("etag")).toEqual([etag]);
    });

    it.each(metadataPaths)("the headers of %s to HEAD", async (target) => {
      const get = await fixture().send({ target });
      const head = await fixture().send({ method: "HEAD", target });
      expect({ status: head.status, body: head.body }).toEqual({ status: 200, body: "" });
      expect(head.headers.get("etag")).toEqual(get.headers.get("etag"));
    });

    it("the resource identifier, the same on both paths", async () => {
      const [plain, inserted] = await Promise.all(
        metadataPaths.slice(0, 2).map((target) => fixture().send({ target })),
      );
      expect(JSON.parse(plain?.body ?? "")).toMatchObject({
        resource: `${publicOrigin}/api`,
        authorization_servers: [fixture().issuer.url, publicOrigin],
        scopes_supported: ["contracts:read", "contracts:write", "contracts:delete"],
        bearer_methods_supported: ["header"],
        dpop_signing_alg_values_supported: ["ES256"],
        dpop_bound_access_tokens_required: true,
      });
      expect(inserted?.body).toBe(plain?.body);
    });

    it("no metadata for a resource that is not its own", async () => {
      const target = "/.well-known/oauth-protected-resource/mcp";
      expect((await fixture().send({ target })).status).toBe(404);
    });

    it("signing keys without a private member", async () => {
      const { body } = await fixture().send({ target: "/.well-known/jwks.json" });
      const { keys } = JSON.parse(body) as { keys: object[] };
      expect(keys).toHaveLength(1);
      expect(keys[0]).not.toHaveProperty("d");
    });

    it("an authorization endpoint that explains itself", async () => {
      const response = await fixture().send({ target: "/oauth/authorize" });
      expect(response.status).toBe(400);
      expect(JSON.parse(response.body)).toMatchObject({ error: "unsupported_response_type" });
    });
  });
}

function describeSkills(start: StartAdapter): void {
  describe("publishes of its skills", () => {
    const fixture = withFixture(start, { options: { skills: { items: [{ ...skill, files }] } } });
    const everything = withFixture(start, {
      guardEverything: true,
      options: {
        skills: { load: async () => [skill, publicSkill, withFiles], agentSkillsIndex: true },
      },
    });

    it("the skill catalog to the authorization server alone", async () => {
      const target = "/.well-known/skills";
      const refused = await fixture().send({ target });
      expect(refused.status).toBe(401);
      expect(refused.headers.has("www-authenticate")).toBe(true);
      const { authorization } = fixture().issuer.signCatalogRequest();
      const served = await fixture().send({ target, headers: [["Authorization", authorization]] });
      expect(served.status).toBe(200);
      expect(served.headers.get("cache-control")).toEqual(["no-store"]);
      expect(JSON.parse(served.body)).toMatchObject({ skills: [skill] });
    });

    it.each(files)("the file $path to the authorization server alone, byte for byte", async ({ content }) => {
      const target = `/.well-known/skills/files/${digestOf(content)}`;
      expect((await fixture().send({ target })).status).toBe(401);
      const { authorization } = fixture().issuer.signCatalogRequest();
      const served = await fixture().send({ target, headers: [["Authorization", authorization]] });
      expect(served.status).toBe(200);
      expect(served.headers.get("content-type")).toEqual(["application/octet-stream"]);
      expect(served.headers.get("x-content-type-options")).toEqual(["nosniff"]);
      expect(served.bytes.equals(Buffer.from(content))).toBe(true);
    });

    it.each([digestOf("nothing"), "..%2F..%2Fetc%2Fpasswd", "%00", "assets%2Flogo.png"])(
      "no file at %s",
      async (name) => {
        const { authorization } = fixture().issuer.signCatalogRequest();
        const target = `/.well-known/skills/files/${name}`;
        const answer = await fixture().send({ target, headers: [["Authorization", authorization]] });
        expect(answer.status).toBe(404);
      },
    );

    it("a skill with files as an archive", async () => {
      const { body } = await everything().send({ target: "/.well-known/agent-skills/index.json" });
      const index = JSON.parse(body) as { skills: { type: string; url: string; digest: string }[] };
      const { url = "", digest } = index.skills.find(({ type }) => type === "archive") ?? {};
      const archive = await everything().send({ target: url });
      expect(archive.headers.get("content-type")).toEqual(["application/gzip"]);
      expect(`sha256:${digestOf(archive.bytes)}`).toBe(digest);
    });

    it("the public part of loaded skills as an Agent Skills index, with the files it points to", async () => {
      const { body } = await everything().send({ target: "/.well-known/agent-skills/index.json" });
      const index = JSON.parse(body) as { skills: { name: string; url: string; digest: string }[] };
      expect(index.skills.map(({ name }) => name)).toEqual([publicSkill.id, withFiles.id]);
      const { url = "", digest } = index.skills[0] ?? {};
      const file = await everything().send({ target: url });
      expect(file.status).toBe(200);
      expect(file.headers.get("content-type")).toEqual(["text/markdown; charset=utf-8"]);
      expect(`sha256:${createHash("sha256").update(file.body).digest("hex")}`).toBe(digest);
      const etag = file.headers.get("etag")?.[0] ?? "";
      const again = await everything().send({ target: url, headers: [["If-None-Match", etag]] });
      expect(again.status).toBe(304);
    });

    it.each([skill.id, "nothing", "%6Cist-customers"])(
      "no file for %s, which is hidden or no skill",
      async (name) => {
        const answer = await everything().send({ target: `/.well-known/agent-skills/${name}/SKILL.md` });
        expect(answer.status).toBe(404);
        expect(JSON.parse(answer.body)).toMatchObject({ error: "not_found" });
      },
    );
  });
}
