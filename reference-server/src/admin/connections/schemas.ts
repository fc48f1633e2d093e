import { z } from "zod";
import { key } from "../../objects/fields.js";
import { connectionStates, reconnectReasons } from "../../store/connections.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

/** A person's account at a third party. */
export const connectionSchema = z
  .strictObject({
    id: z.uuid(),
    connector: z.string().describe("The key of the connector"),
    user: z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() }),
    state: z.enum(connectionStates),
    reason: z.enum(reconnectReasons).nullable().describe("Why it has to be connected again"),
    account: z.strictObject({
      label: z.string().nullable().describe("What the third party calls the account"),
    }),
    grantedScopes: z.array(z.string()),
    connectedAt: timestamp,
    refreshedAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable(),
    keyId: z.string().describe("The key that its tokens are under"),
    keyReadable: z.boolean().describe("false: its tokens do not open with the keys of this server"),
  })
  .meta({ id: "Connection" });
export type Connection = z.infer<typeof connectionSchema>;

/** `GET /connections` */
export const connectionQuerySchema = listQuery({
  sorts: ["connectedAt"],
  defaultSort: "-connectedAt",
  filters: {
    connector: key.optional(),
    user: z.uuid().optional(),
    state: z.enum(connectionStates).optional(),
  },
});

export const connectionListSchema = listAnswer(connectionSchema);

export const connectionParamsSchema = z.strictObject({ id: z.uuid() });

/** `DELETE /connections/{id}` */
export const connectionRemovalSchema = z.strictObject({
  revocation: z
    .enum(["confirmed", "unconfirmed", "unsupported"])
    .describe("Whether the third party has confirmed that the tokens are worth nothing now"),
});
export type ConnectionRemoval = z.infer<typeof connectionRemovalSchema>;
