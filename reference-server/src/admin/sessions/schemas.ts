import { z } from "zod";
import { clientId, clientNameSchema } from "../clients/schemas.js";
import { allQuery, manyIds } from "../door/all-ids.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const person = z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() });
const named = z.strictObject({ key: z.string(), name: z.string() });

const sessionFilters = {
  user: z.uuid().describe("Only those of this person").optional(),
  provider: z.string().max(100).describe("Only sign-ins at the provider with this key").optional(),
};

/** `GET /sessions` */
export const sessionQuerySchema = listQuery({
  sorts: ["signedInAt"],
  defaultSort: "-signedInAt",
  filters: sessionFilters,
});

/** `GET /sessions/ids` */
export const allSessionsSchema = allQuery(sessionFilters);

/** A person who is signed in in one browser. */
export const sessionSchema = z
  .strictObject({
    id: z.uuid(),
    user: person,
    provider: named,
    browser: z
      .strictObject({ product: z.string().nullable(), system: z.string().nullable() })
      .describe("What the browser says it is, such as Firefox and Linux"),
    userAgent: z.string().nullable(),
    authenticatedAt: timestamp
      .nullable()
      .describe("When the provider says that it authenticated the person; null: it does not say"),
    amr: z.array(z.string()).describe("How the provider authenticated the person (RFC 8176)"),
    signedInAt: timestamp,
    lastUsedAt: timestamp.describe("When the browser last came here, to ten minutes"),
    expiresAt: timestamp,
    current: z.boolean().describe("Whether it is the session that asks"),
    changeable: z.boolean().describe("Whether whoever asks may end it"),
  })
  .meta({ id: "BrowserSession" });
export type Session = z.infer<typeof sessionSchema>;

export const sessionListSchema = listAnswer(sessionSchema);

const grantStates = ["live", "ended"] as const;

const grantFilters = {
  user: z.uuid().describe("Only those of this person").optional(),
  client: clientId.describe("Only those of the client with this id").optional(),
  service: z
    .string()
    .max(100)
    .describe("Only those for the service with this key; `installation`: for the API of this server")
    .optional(),
  state: z.enum(grantStates).describe("Both, unless one is named").optional(),
};

/** `GET /grants` */
export const grantQuerySchema = listQuery({
  sorts: ["createdAt"],
  defaultSort: "-createdAt",
  filters: grantFilters,
});

/** `GET /grants/ids` */
export const allGrantsSchema = allQuery(grantFilters);

/** A client that acts for a person on one device. Its id is `sid` in tokens. */
export const grantSchema = z
  .strictObject({
    id: z.uuid(),
    user: person,
    client: clientNameSchema,
    service: named.nullable().describe("The service that its tokens are for; null: the API of this server"),
    provider: named
      .nullable()
      .describe(
        "The sign-in provider that vouches for it, so that nobody was asked; null: the person allowed it",
      ),
    deviceName: z
      .string()
      .nullable()
      .describe(
        "What the client called its device, or the person since; nobody vouches for it, and `null` when nobody said",
      ),
    shortCode: z
      .string()
      .nullable()
      .describe("What the device shows as well; null for a client without a key"),
    scopes: z.array(z.string()),
    authenticatedAt: timestamp.nullable(),
    amr: z.array(z.string()),
    createdAt: timestamp,
    lastUsedAt: timestamp.describe(
      "When it last got tokens, which those that are used renew every few minutes",
    ),
    expiresAt: timestamp,
    state: z.enum(grantStates),
    revokedAt: timestamp.nullable(),
    revocationReason: z.string().nullable(),
    changeable: z.boolean().describe("Whether whoever asks may end it"),
  })
  .meta({ id: "Grant" });
export type Grant = z.infer<typeof grantSchema>;

export const grantListSchema = listAnswer(grantSchema);

export const revocableParamsSchema = z.strictObject({ id: z.uuid() });

export const revocationsSchema = z.strictObject({
  ids: manyIds.min(1).describe("Those that have ended already are left out"),
});

export const revokedSchema = z.strictObject({
  revoked: z.int().describe("How many have ended by this request"),
});
export type Revoked = z.infer<typeof revokedSchema>;
