import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maximumIdentityProviders } from "../../src/registry/identity-provider.js";
import { parseRegistryFile } from "../../src/registry/apply/registry-file.js";
import { RegistryError } from "../../src/registry/apply/registry-error.js";
import { parseParameters } from "../../src/protocol/parameters.js";
import { completeSetUp, install } from "../../src/set-up/store-installation.js";
import { readDetails } from "../../src/set-up/details-form.js";
import { InstallFileError } from "../../src/set-up/installation.js";
import { readInstallFile } from "../../src/set-up/install-file.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { createTestServer, type TestServer } from "../support/server.js";

let admin: AdminServer;
let fresh: TestServer;
let folder: string;
beforeAll(async () => {
  [admin, fresh] = await Promise.all([createAdminServer(), createTestServer()]);
  folder = await mkdtemp(join(tmpdir(), "authz-rules-"));
});
afterAll(async () => {
  await Promise.all([admin.close(), fresh.close()]);
  await rm(folder, { recursive: true });
});

const provider = {
  name: "Acme accounts",
  buttonLabel: null as string | null,
  issuer: "https://id.acme.example",
  discoveryUrl: null as string | null,
  clientId: "authz",
  clientSecret: "s3cret" as string | undefined,
  tokenEndpointAuthMethod: null as string | null,
  scopes: ["openid", "email"],
  allowedEmailDomains: ["acme.example"],
};
type Provider = typeof provider;
const rules = { allowInsecureLoopback: true };
const email = "ada@acme.example";

/** Each way to bring an identity provider into an installation: whether it takes this one. */
const ways: Readonly<Record<string, (described: Provider) => Promise<boolean>>> = {
  "the admin API": async (described) => {
    const body = { ...described, key: "tried" };
    const { status } = await admin.request("POST", "/identity-providers", { body });
    if (status === 201) await admin.request("DELETE", "/identity-providers/tried", { version: 1 });
    else expect(status).toBe(400);
    return status === 201;
  },
  "the set-up form": async (described) => {
    const form = new URLSearchParams([
      ["administrator_email", email],
      ["installation_name", "Acme"],
      ["name", described.name],
      ["button_label", described.buttonLabel ?? ""],
      ["issuer", described.issuer],
      ["discovery_url", described.discoveryUrl ?? ""],
      ["client_id", described.clientId],
      ["client_secret", described.clientSecret ?? ""],
      ["auth_method", described.tokenEndpointAuthMethod ?? ""],
      ["scopes", described.scopes.join(" ")],
      ["domains", described.allowedEmailDomains.join(" ")],
    ]);
    const posted = parseParameters(form.toString());
    return (await readDetails(posted, { before: undefined, ...rules })).kind === "valid";
  },
  "an installation file": (described) =>
    takes(InstallFileError, async () => await readInstallFile(await fileWith(described), rules)),
  "a registry file": (described) =>
    takes(RegistryError, () =>
      parseRegistryFile(JSON.stringify({ providers: [{ ...described, key: "tried" }] }), {
        ...rules,
        issuer: "https://auth.acme.example",
      }),
    ),
};

async function takes(refusal: typeof InstallFileError | typeof RegistryError, read: () => unknown) {
  try {
    await read();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(refusal);
    return false;
  }
}

async function fileWith(described: object): Promise<string> {
  const path = join(folder, "install.json");
  const document = {
    installation: { name: "Acme" },
    administrator: { email },
    provider: described,
  };
  await writeFile(path, JSON.stringify(document));
  return path;
}

const cases: readonly (readonly [name: string, taken: boolean, change: Partial<Provider>])[] = [
  ["what is usual", true, {}],
  ["a label for its button", true, { buttonLabel: "Sign in with Acme" }],
  ["a label that is too long", false, { buttonLabel: "x".repeat(201) }],
  ["no name", false, { name: "" }],
  ["a name of 200 characters", true, { name: "x".repeat(200) }],
  ["a name of 201 characters", false, { name: "x".repeat(201) }],
  ["an issuer on this computer", true, { issuer: "http://127.0.0.1:4000" }],
  ["an issuer without TLS", false, { issuer: "http://id.acme.example" }],
  ["an issuer with credentials", false, { issuer: "https://a:b@id.acme.example" }],
  ["an issuer with a query", false, { issuer: "https://id.acme.example?x=1" }],
  ["an issuer with a pattern", false, { issuer: "https://{tenant}.auth0.com/" }],
  ["an issuer with an encoded brace", false, { issuer: "https://a.example/%7Bb" }],
  ["a long issuer", true, { issuer: `https://a.example/${"x".repeat(1900)}` }],
  ["an issuer too long", false, { issuer: `https://a.example/${"x".repeat(2000)}` }],
  [
    "an address of its metadata",
    true,
    { discoveryUrl: "https://a.example/.well-known/openid-configuration" },
  ],
  ["an address of no metadata", false, { discoveryUrl: "https://a.example/x" }],
  ["no client ID", false, { clientId: "" }],
  ["no secret", false, { clientSecret: undefined }],
  ["a secret of 2000 characters", true, { clientSecret: "x".repeat(2000) }],
  ["a secret of 2001 characters", false, { clientSecret: "x".repeat(2001) }],
  ["no secret, and says so", true, { clientSecret: undefined, tokenEndpointAuthMethod: "none" }],
  ["a secret too much", false, { tokenEndpointAuthMethod: "none" }],
  ["a known method", true, { tokenEndpointAuthMethod: "client_secret_post" }],
  ["an unknown method", false, { tokenEndpointAuthMethod: "private_key_jwt" }],
  ["no scopes", false, { scopes: [] }],
  ["scopes without openid", false, { scopes: ["email"] }],
  ["a scope with a quote", false, { scopes: ["openid", 'e"mail'] }],
  ["51 scopes", false, { scopes: ["openid", ...Array.from({ length: 50 }, (_, n) => `s${n}`)] }],
  ["no domains", true, { allowedEmailDomains: [] }],
  ["a domain that is none", false, { allowedEmailDomains: ["acme"] }],
  ["101 domains", false, { allowedEmailDomains: Array.from({ length: 101 }, (_, n) => `a${n}.example`) }],
];

describe.each(Object.entries(ways))("%s", (_way, way) => {
  test.each(cases)("of a provider with %s: %s", async (_name, taken, change) => {
    expect(await way({ ...provider, ...change })).toBe(taken);
  });
});

test("a provider more than the registry keeps is refused by set-up and admin API alike", async () => {
  const { store, credentials } = fresh.context;
  const add = async ({ context }: TestServer, first: number) => {
    for (let number = first; number <= maximumIdentityProviders; number += 1) {
      const stored = { ...provider, key: `p${number}`, issuer: `https://p${number}.example` };
      await context.store.identityProviders.save(
        {
          ...stored,
          id: crypto.randomUUID(),
          clientSecret: null,
          tokenEndpointAuthMethod: "none",
          enabled: true,
        },
        new Date(),
      );
    }
  };
  // Ada's server has one already.
  await Promise.all([add(admin, 2), add(fresh, 1)]);

  const { status, body } = await admin.request("POST", "/identity-providers", {
    body: { ...provider, key: "more" },
  });
  expect(status).toBe(400);
  const says = String(body["error_description"]);
  expect(says).toContain(String(maximumIdentityProviders));

  const installation = await readInstallFile(await fileWith(provider), rules);
  const at = new Date(fresh.clock());
  await expect(install(installation, { store, credentials, at })).rejects.toThrow(says);
  const browser = { secret: "b", idHash: Buffer.alloc(32) } as never;
  const identity = { providerId: "", subject: "ada", email, name: "Ada" } as never;
  await expect(
    completeSetUp(
      { installation, identity, browser, userAgent: null, language: "en", requestId: "r" },
      { store, credentials, now: at },
    ),
  ).rejects.toMatchObject({ result: { fault: "not_saved", detail: says } });
  expect(await store.installation.state()).not.toBe("installed");
  expect(await store.assignments.listByEmail(email)).toEqual([]);
  const [{ count } = { count: -1 }] = await fresh.database.query<{ count: number }>(
    "SELECT count(*)::int FROM audit_events WHERE type <> 'defaults.created'",
  );
  expect(count).toBe(0);
});
