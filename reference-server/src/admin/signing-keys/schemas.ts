import { z } from "zod";
import { listAnswer, listQuery, timestamp } from "../door/list-query.js";

/** What to do about a key now, if anything. */
const keyAdviceSchema = z.strictObject({
  code: z.enum(["stage_next", "activate_when_ready", "activate_now", "rotation_overdue"]),
  text: z.string(),
});

/** A signing key through its life. Times that have not come are null. */
export const signingKeySchema = z
  .strictObject({
    kid: z.string(),
    state: z.enum(["staged", "active", "retired"]),
    source: z.enum(["environment", "generated"]),
    inKeySet: z.boolean(),
    stagedAt: timestamp,
    activatableFrom: timestamp.nullable().describe("Of a staged key"),
    activatedAt: timestamp.nullable(),
    retiredAt: timestamp.nullable(),
    publishedUntil: timestamp.nullable().describe("When a retired key leaves the key set"),
    ageDays: z.int().nullable().describe("Whole days since it began to sign"),
    advice: keyAdviceSchema.nullable(),
  })
  .meta({ id: "SigningKey" });

/** `GET /signing-keys`; `q` is looked for in the kid. */
export const signingKeyQuerySchema = listQuery({
  sorts: ["stagedAt"],
  defaultSort: "-stagedAt",
  filters: {},
});
export const signingKeyListSchema = listAnswer(signingKeySchema);

export const signingKeyParamsSchema = z.strictObject({ kid: z.string().max(200) });

/** `POST /signing-keys/{kid}/activations` and `/retirements` */
export const keyChangeSchema = z.strictObject({
  emergency: z
    .boolean()
    .default(false)
    .describe("Skips the waiting times: some assertions may be refused for some minutes"),
});

/** What an activation did. */
export const activationSchema = z.strictObject({
  kid: z.string(),
  retired: z.string().nullable().describe("The key that signed before"),
  retiredPublishedUntil: timestamp.nullable(),
});

export type AdminSigningKey = z.infer<typeof signingKeySchema>;
export type KeyChangeRequest = z.input<typeof keyChangeSchema>;
export type KeyActivation = z.infer<typeof activationSchema>;
