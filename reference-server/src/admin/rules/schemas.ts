import { z } from "zod";
import { callRules } from "../../objects/call-rules.js";
import { key } from "../../objects/fields.js";
import { timestamp } from "../door/show.js";

export const ruleParamsSchema = z.strictObject({ key });

/** `POST /resources/{key}/rules/trials` and the same for connectors */
export const ruleTrialRequestSchema = z.strictObject({
  rules: callRules.optional().describe("Absent: the rules as they are stored"),
});

const trialOutcomes = ["allow", "ask", "refuse", "unclear"] as const;

const tried = z.strictObject({
  eventId: z.string().describe("Of the call in the audit trail"),
  at: timestamp,
  method: z.string(),
  host: z.string(),
  path: z.string().describe("Its shape, as the audit trail has it"),
  person: z.string().nullable().describe("The address; `null` for a person who has none"),
  clientId: z.string().nullable(),
  outcome: z.enum(trialOutcomes),
  rule: z.int().describe("The number of the rule that decides, from 1"),
});

/** What rules would have said of calls in the past. */
export const ruleTrialSchema = z
  .strictObject({
    calls: z.int().describe("The last calls, 500 at most"),
    from: timestamp.nullable().describe("When the first of them was made; `null`: there are none"),
    allowed: z.int(),
    asked: z.int(),
    refused: z.int(),
    unclear: z
      .int()
      .describe(
        "Depends on what is not kept of a call: the whole path, the query, headers and body. A batch, GraphQL or a body that cannot be read would ask as well",
      ),
    items: z.array(tried).describe("The calls that were not simply allowed, the newest first, 100 at most"),
  })
  .meta({ id: "RuleTrial" });
export type RuleTrial = z.infer<typeof ruleTrialSchema>;
export type TriedCall = RuleTrial["items"][number];
