import { randomUUID } from "node:crypto";
import { createSecret, hashSecret } from "../../../protocol/secrets.js";
import { findIdentityProvider } from "../../../registry/identity-provider.js";
import { full, notFound } from "../../../registry/refusal.js";
import { scimPrefix } from "../../../scim/discovery.js";
import type { ProvisioningCredential } from "../../../store/provisioning-credentials.js";
import { administrators, auditors } from "../../door/access.js";
import type { AdminArea } from "../../door/area.js";
import { identityProviderParamsSchema } from "../schemas.js";
import { credentialParamsSchema, newCredentialSchema, provisioningSchema } from "./schemas.js";

/** Two while one replaces the other at the provider. */
const maximumCredentials = 2;

const path = "/identity-providers/:key/provisioning";

/** What a provider calls SCIM with, and how it goes. */
export const registerProvisioning: AdminArea["routes"] = async (app, { issuer }) => {
  app.get(
    path,
    {
      config: { access: auditors, errors: ["not_found"] },
      schema: {
        summary: "Show how an identity provider provisions people",
        params: identityProviderParamsSchema,
        response: { 200: provisioningSchema },
      },
    },
    async ({ params: { key }, admin: { store } }) => {
      const { id } = await findIdentityProvider(store, key);
      const [credentials, counts, failure] = await Promise.all([
        store.provisioningCredentials.list(id),
        store.provisionedUsers.count(id),
        store.provisioningCredentials.findFailure(id),
      ]);
      const { active, inactive, groups } = counts;
      const used = credentials.flatMap(({ lastUsedAt }) => lastUsedAt?.getTime() ?? []);
      return {
        baseUrl: `${issuer}${scimPrefix}`,
        credentials: credentials.map(showCredential),
        people: { active, inactive },
        groups,
        lastRequestAt: used.length === 0 ? null : new Date(Math.max(...used)).toISOString(),
        lastRefusal: failure === undefined ? null : { ...failure, at: failure.at.toISOString() },
      };
    },
  );

  app.post(
    `${path}/credentials`,
    {
      config: { access: administrators, errors: ["not_found"] },
      schema: {
        summary: "Create a credential for SCIM",
        description:
          "The answer has its secret, which is not shown again. A provider has at most two: to replace one without a gap, create the second, enter it at the provider, and remove the first.",
        params: identityProviderParamsSchema,
        response: { 201: newCredentialSchema },
      },
    },
    async ({ params: { key }, admin }) =>
      await admin.change(async ({ store, at, audit }) => {
        const { id: providerId } = await findIdentityProvider(store, key);
        const secret = createSecret();
        const credential = { id: randomUUID(), providerId, createdAt: at, lastUsedAt: null };
        const bounds = { hash: hashSecret(secret), most: maximumCredentials };
        if (!(await store.provisioningCredentials.insert(credential, bounds))) {
          throw full("provisioningCredentials", maximumCredentials);
        }
        await audit({
          type: "provisioning_credential.created",
          data: { provider: key, credential: credential.id },
        });
        return { ...showCredential(credential), secret };
      }),
  );

  app.delete(
    `${path}/credentials/:id`,
    {
      config: { access: administrators, errors: ["not_found"] },
      schema: {
        summary: "Remove a credential for SCIM",
        description: "Requests with it are refused from now on. People and groups stay as they are.",
        params: credentialParamsSchema,
      },
    },
    async ({ params: { key, id }, admin }) => {
      await admin.change(async ({ store, audit }) => {
        const { id: providerId } = await findIdentityProvider(store, key);
        if (!(await store.provisioningCredentials.remove({ id, providerId }))) {
          throw notFound("provisioningCredential");
        }
        await audit({ type: "provisioning_credential.removed", data: { provider: key, credential: id } });
      });
    },
  );
};

function showCredential({ id, createdAt, lastUsedAt }: ProvisioningCredential) {
  return { id, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}
