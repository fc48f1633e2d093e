import { z } from "zod";
import { timestamp } from "../../door/show.js";
import { identityProviderParamsSchema } from "../schemas.js";

/** `/identity-providers/{key}/provisioning/credentials/{id}` */
export const credentialParamsSchema = identityProviderParamsSchema.extend({ id: z.uuid() });

const credentialSchema = z
  .strictObject({
    id: z.uuid(),
    createdAt: timestamp,
    lastUsedAt: timestamp.nullable().describe("To the minute"),
  })
  .meta({ id: "ProvisioningCredential" });

export const provisioningSchema = z
  .strictObject({
    baseUrl: z.string().describe("The address to enter at the provider"),
    credentials: z
      .array(credentialSchema)
      .describe("What the provider may call SCIM with, without the secrets"),
    people: z
      .strictObject({ active: z.int(), inactive: z.int() })
      .describe("People whom the provider provisions"),
    groups: z.int().describe("Groups that the provider provisions"),
    lastRequestAt: timestamp.nullable().describe("When the provider last called, to the minute"),
    lastRefusal: z
      .strictObject({
        at: timestamp,
        method: z.string(),
        path: z.string().describe("Without its query"),
        status: z.int(),
        detail: z.string(),
      })
      .nullable()
      .describe("The last request of the provider that was refused"),
  })
  .meta({ id: "Provisioning" });
export type Provisioning = z.infer<typeof provisioningSchema>;

export const newCredentialSchema = credentialSchema
  .extend({ secret: z.string().describe("Shown this once; only its hash is stored") })
  .meta({ id: "NewProvisioningCredential" });
export type NewProvisioningCredential = z.infer<typeof newCredentialSchema>;
