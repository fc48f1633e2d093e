import { z } from "zod";
import { issue } from "../../objects/check.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

/** What to do about a key now, if anything. */
const keyAdviceSchema = z.strictObject({
  code: z.enum(["stage_next", "activate_when_ready", "activate_now", "activates_itself", "rotation_overdue"]),
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
    activatesAt: timestamp
      .nullable()
      .describe("When a staged key starts signing automatically; null: when somebody activates it"),
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

/** `POST /signing-keys/{kid}/schedules` */
export const keyScheduleSchema = z.strictObject({
  activatesAt: z.iso
    .datetime({ error: issue("zonedTime").message, offset: true })
    .nullable()
    .optional()
    .describe("Absent: as soon as every service knows the key; null: not automatically"),
});

/** What an activation did. */
export const activationSchema = z.strictObject({
  kid: z.string(),
  retired: z.string().nullable().describe("The key that signed before"),
  retiredPublishedUntil: timestamp.nullable(),
});

export type AdminSigningKey = z.infer<typeof signingKeySchema>;
export type KeyChangeRequest = z.input<typeof keyChangeSchema>;
export type KeySchedule = z.input<typeof keyScheduleSchema>;
export type KeyActivation = z.infer<typeof activationSchema>;
