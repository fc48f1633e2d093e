import { z } from "zod";
import { clientId, clientNameSchema } from "../clients/schemas.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const resourceKey = z.string().min(1).max(100);

const kinds = ["all", "user", "client", "app", "service"] as const;

/** Something that an administrator, or a person of their own, has stopped. */
export const stopSchema = z
  .strictObject({
    id: z.uuid(),
    kind: z
      .enum(kinds)
      .describe(
        "Everything, all apps of a person, an app or machine for everybody, one app of one person, or a service",
      ),
    user: z
      .strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() })
      .nullable(),
    client: clientNameSchema.nullable(),
    service: z.strictObject({ key: z.string(), name: z.string() }).nullable(),
    setAt: timestamp,
    setBy: z
      .strictObject({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe("The person or the machine that stopped it; null: an operator"),
    own: z.boolean().describe("The person stopped it themselves, and can start it again"),
  })
  .meta({ id: "Stop" });
export type Stop = z.infer<typeof stopSchema>;

/** `GET /stops` */
export const stopQuerySchema = listQuery({
  sorts: ["setAt"],
  defaultSort: "-setAt",
  filters: {
    user: z.uuid().describe("Only those of this person and their apps").optional(),
    client: clientId.describe("Only those of the client with this id").optional(),
    service: resourceKey.describe("Only that of the service with this key").optional(),
  },
});
export const stopListSchema = listAnswer(stopSchema);

/** `POST /stops` */
export const newStopSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("all") }),
  z.strictObject({ kind: z.literal("user"), user: z.uuid() }),
  z.strictObject({ kind: z.literal("client"), client: clientId }),
  z.strictObject({ kind: z.literal("app"), user: z.uuid(), client: clientId }),
  z.strictObject({ kind: z.literal("service"), service: resourceKey.describe("Its key") }),
]);
export type NewStop = z.infer<typeof newStopSchema>;

export const stopParamsSchema = z.strictObject({ id: z.uuid() });
