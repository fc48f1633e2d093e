import { randomUUID } from "node:crypto";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../../support/admin.js";
import { resourceRecord } from "../../support/records.js";

/** People with each role, and services and skills that belong to some of them. */
export interface RoleInstallation {
  readonly server: AdminServer;
  readonly auditor: SignedInPerson;
  readonly support: SignedInPerson;
  /** Olga and Otto own the service `contracts`; Olga is in the group `legal` according to her sign-in. */
  readonly owner: SignedInPerson;
  readonly secondOwner: SignedInPerson;
  /** Has no role. */
  readonly person: SignedInPerson;
  readonly service: { readonly id: string };
  readonly assign: (email: string, scope: string) => Promise<string>;
  /** Sends a request of a person for scopes of `contracts`. */
  readonly requestAccess: (person: SignedInPerson, scopes: readonly string[]) => Promise<string>;
}

/**
 * `contracts` knows `contracts:read`, `contracts:write` and `shared:read`; `invoices`, which nobody owns, knows `invoices:read` and
 * `shared:read`.
 */
export async function createRoleInstallation(): Promise<RoleInstallation> {
  const server = await createAdminServer();
  const { store } = server.context;
  const at = new Date(server.clock());
  for (const key of ["contracts:read", "contracts:write", "shared:read", "invoices:read"])
    await store.scopes.save({ key, description: key, system: false }, at);
  const service = resourceRecord({
    id: randomUUID(),
    supportedScopes: ["contracts:read", "contracts:write", "shared:read"],
  });
  await store.resources.save(service, at);
  const invoices = {
    key: "invoices",
    name: "Invoices",
    resource: "https://invoices.acme.example/api",
    authorizationServer: "https://invoices.acme.example",
    requestPrefixes: ["https://invoices.acme.example/api"],
    supportedScopes: ["invoices:read", "shared:read"],
  };
  await store.resources.save({ ...service, id: randomUUID(), ...invoices }, at);
  const { providerId } = server;
  const provider = { id: randomUUID(), key: "acme-groups", name: "Acme groups", enabled: true } as const;
  await store.groupProviders.save({ ...provider, type: "claim", identityProviderId: providerId }, at);
  await store.owners.save({ kind: "service", id: service.id }, [
    { email: "olga@acme.example", group: null },
    { email: "otto@acme.example", group: null },
  ]);
  const owner = await server.signIn("Olga");
  const expiresAt = new Date(at.getTime() + 365 * 24 * 3_600_000);
  const membership = { userId: owner.user.id, providerId, groups: ["legal"], unavailable: false };
  await store.userGroups.replace({ ...membership, signedInAt: at, expiresAt });
  return {
    server,
    auditor: await server.signIn("Ingo", ["authz:audit"]),
    support: await server.signIn("Susi", ["authz:support"]),
    owner,
    secondOwner: await server.signIn("Otto"),
    person: await server.signIn("Paul"),
    service,
    async assign(email, scope) {
      const id = randomUUID();
      await store.assignments.insertMissing({ id, email, scope }, at);
      return id;
    },
    async requestAccess({ user }, scopes) {
      const id = randomUUID();
      await server.database.query(
        `INSERT INTO access_requests (id, user_id, kind, target, scopes, reason, client_id, created_at)
        VALUES ($1, $2, 'service', 'contracts', $3, 'For the audit.', 'authz-cli', $4)`,
        [id, user.id, scopes, at],
      );
      return id;
    },
  };
}
