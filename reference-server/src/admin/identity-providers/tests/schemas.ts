import { z } from "zod";
import { key } from "../../../objects/fields.js";
import { checkSchema } from "../../../registry/probes/check.js";
import { timestamp } from "../../door/show.js";

export const signInTestParamsSchema = z.strictObject({ key, id: z.uuid() });

/** One test sign-in. */
export const signInTestSchema = z
  .strictObject({
    id: z.string(),
    state: z
      .enum(["pending", "passed", "failed", "expired"])
      .describe(
        "`pending`: nobody has come back from the provider yet; `expired`: nobody did in ten minutes",
      ),
    authorizationUrl: z
      .string()
      .nullable()
      .describe(
        "Where the browser goes, once; only in the answer that begins the test, and null when it failed at once",
      ),
    withChanges: z
      .boolean()
      .describe("The provider was tested as it would be after changes that are not saved"),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    expiresAt: timestamp,
    checks: z.array(checkSchema).describe("In the order of a sign-in; empty while it is pending"),
    providerMessage: z
      .string()
      .nullable()
      .describe("What the provider or the network said about the failed check"),
    claims: z
      .array(z.strictObject({ name: z.string(), value: z.string() }))
      .describe("What the provider said about whoever signed in, as far as it is read here"),
  })
  .meta({ id: "SignInTest" });
export type SignInTest = z.infer<typeof signInTestSchema>;
