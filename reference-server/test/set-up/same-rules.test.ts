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

const cases: readonly { name: string; change: Partial<Provider>; taken: boolean }[] = [
  { name: "what is usual", change: {}, taken: true },
  { name: "a label for its button", change: { buttonLabel: "Sign in with Acme" }, taken: true },
  { name: "a label that is too long", change: { buttonLabel: "x".repeat(201) }, taken: false },
  { name: "no name", change: { name: "" }, taken: false },
  { name: "a name of 200 characters", change: { name: "x".repeat(200) }, taken: true },
  { name: "a name of 201 characters", change: { name: "x".repeat(201) }, taken: false },
  { name: "an issuer on this computer", change: { issuer: "http://127.0.0.1:4000" }, taken: true },
  { name: "an issuer without TLS", change: { issuer: "http://id.acme.example" }, taken: false },
  { name: "an issuer with credentials", change: { issuer: "https://a:b@id.acme.example" }, taken: false },
  { name: "an issuer with a query", change: { issuer: "https://id.acme.example?x=1" }, taken: false },
  { name: "an issuer with a pattern", change: { issuer: "https://{tenant}.auth0.com/" }, taken: false },
  { name: "an issuer with an encoded brace", change: { issuer: "https://a.example/%7Bb" }, taken: false },
  { name: "a long issuer", change: { issuer: `https://a.example/${"x".repeat(1900)}` }, taken: true },
  { name: "an issuer too long", change: { issuer: `https://a.example/${"x".repeat(2000)}` }, taken: false },
  {
    name: "an address of its metadata",
    change: { discoveryUrl: "https://a.example/.well-known/openid-configuration" },
    taken: true,
  },
  { name: "an address of no metadata", change: { discoveryUrl: "https://a.example/x" }, taken: false },
  { name: "no client ID", change: { clientId: "" }, taken: false },
  { name: "no secret", change: { clientSecret: undefined }, taken: false },
  { name: "a secret of 2000 characters", change: { clientSecret: "x".repeat(2000) }, taken: true },
  { name: "a secret of 2001 characters", change: { clientSecret: "x".repeat(2001) }, taken: false },
  {
    name: "no secret, and says so",
    change: { clientSecret: undefined, tokenEndpointAuthMethod: "none" },
    taken: true,
  },
  { name: "a secret too much", change: { tokenEndpointAuthMethod: "none" }, taken: false },
  { name: "a known method", change: { tokenEndpointAuthMethod: "client_secret_post" }, taken: true },
  { name: "an unknown method", change: { tokenEndpointAuthMethod: "private_key_jwt" }, taken: false },
  { name: "no scopes", change: { scopes: [] }, taken: false },
  { name: "scopes without openid", change: { scopes: ["email"] }, taken: false },
  { name: "a scope with a quote", change: { scopes: ["openid", 'e"mail'] }, taken: false },
  {
    name: "51 scopes",
    change: { scopes: ["openid", ...Array.from({ length: 50 }, (_, n) => `s${n}`)] },
    taken: false,
  },
  { name: "no domains", change: { allowedEmailDomains: [] }, taken: true },
  { name: "a domain that is none", change: { allowedEmailDomains: ["acme"] }, taken: false },
  {
    name: "101 domains",
    change: { allowedEmailDomains: Array.from({ length: 101 }, (_, n) => `a${n}.example`) },
    taken: false,
  },
];

describe.each(Object.entries(ways))("%s", (_name, way) => {
  test.each(cases)("of a provider with $name: $taken", async ({ change, taken }) => {
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
