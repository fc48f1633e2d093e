import { z } from "zod";
import { key, scopeKey } from "../../objects/fields.js";
import { clientId } from "../clients/schemas.js";
import { timestamp } from "../door/show.js";

const usageRanges = ["24h", "7d", "30d", "90d"] as const;
export type UsageRange = (typeof usageRanges)[number];

/** What all questions have in common. Every condition must hold. */
const filter = z.strictObject({
  range: z
    .enum(usageRanges)
    .default("30d")
    .describe("Up to now: 24 whole hours, or whole days (UTC), the current one included"),
  client: clientId.optional().describe("The id of a client"),
  user: z.uuid().optional().describe("The id of a person"),
  service: key.optional().describe("The key of a resource"),
  connector: key.optional().describe("The key of a connector; not together with `service`"),
});

const limit = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual);

/** `GET /usage` */
export const usageQuerySchema = filter;

/** `GET /usage/ranking` */
export const usageRankingQuerySchema = filter.extend({
  by: z.enum(["client", "resource", "user", "skill"]).describe("Skills are known by service only"),
  limit: limit(100, 10),
});

/** `GET /usage/denials` */
export const usageDenialsQuerySchema = filter.extend({
  scope: scopeKey.optional().describe("Only refusals of this permission"),
  limit: limit(200, 50),
});

/** `GET /usage/skill` */
export const skillUsageQuerySchema = z.strictObject({
  range: filter.shape.range,
  skill: z
    .string()
    .min(1)
    .max(300)
    .describe("The id that agents see: `installation.{id}`, or the key of a resource before the dot"),
});

export const skillUsageSchema = z
  .strictObject({
    unit: z.enum(["hour", "day"]).describe("What one item of the series stands for"),
    reads: z.int().describe("How often it was read altogether"),
    series: z
      .array(
        z.strictObject({
          at: timestamp.describe("When the hour or the day begins, UTC"),
          reads: z.int(),
        }),
      )
      .describe("Oldest first, those without any included"),
  })
  .meta({ id: "SkillUsage" });
export type SkillUsage = z.infer<typeof skillUsageSchema>;

const numbers = {
  issued: z.int().describe("Tokens and identity assertions"),
  called: z
    .int()
    .describe(
      "Requests that went through this server, those that failed among them; of a skill, how often it was read",
    ),
  denied: z.int(),
  failed: z.int().describe("Nobody answered, or with a server error"),
};

const countedThrough = timestamp
  .nullable()
  .describe("Events up to here are counted, a few seconds ago; null when none are yet");

export const usageSchema = z
  .strictObject({
    countedThrough,
    unit: z.enum(["hour", "day"]).describe("What one item of the series stands for"),
    totals: z.strictObject(numbers),
    series: z
      .array(z.strictObject({ at: timestamp.describe("When the hour or the day begins, UTC"), ...numbers }))
      .describe("Oldest first, those without anything included"),
  })
  .meta({ id: "Usage" });

const nameSchema = z.string().nullable().describe("null: it is gone");

const usageRankSchema = z
  .strictObject({
    type: z
      .enum(["client", "service", "connector", "none", "user", "skill"])
      .describe("`none`: no app, or no particular service"),
    id: z.string().describe("An id or a key; empty where `type` is `none`"),
    name: nameSchema,
    detail: z.string().nullable().describe("The host of a client, the address of a person"),
    ...numbers,
  })
  .meta({ id: "UsageRank" });

export const usageRankingSchema = z.strictObject({
  items: z.array(usageRankSchema).describe("The most used first"),
  total: z.int().describe("How many there are altogether"),
});

const usageDenialSchema = z
  .strictObject({
    person: z
      .strictObject({ id: z.string(), name: nameSchema, email: z.string().nullable() })
      .nullable()
      .describe("null: a machine asked for itself"),
    scope: z.string().nullable().describe("null: no permission was asked for"),
    target: z.strictObject({
      type: z.enum(["service", "connector", "none"]),
      key: z.string(),
      name: nameSchema,
    }),
    client: z
      .strictObject({ id: z.string(), name: nameSchema, host: z.string().nullable() })
      .nullable()
      .describe("Of the last one"),
    count: z.int(),
    lastAt: timestamp,
    reason: z.string().describe("The code of the last one"),
    reasonText: z.string().describe("The same in words"),
  })
  .meta({ id: "UsageDenial" });

export const usageDenialsSchema = z.strictObject({
  items: z.array(usageDenialSchema).describe("What was refused most often first"),
  total: z.int().describe("How many groups there are altogether"),
});

const targetHealthSchema = z
  .strictObject({
    type: z.enum(["service", "connector"]),
    key: z.string(),
    state: z
      .enum(["answers", "fails", "unknown"])
      .describe("What came of the last attempt; `unknown`: nobody tried in the last two days"),
    at: timestamp.nullable().describe("When that was"),
    by: z
      .enum(["catalog", "call"])
      .nullable()
      .describe("`catalog`: this server fetched its skills; `call`: a request that went through this server"),
    failure: z.string().nullable().describe("What was wrong, where the attempt said so"),
    answeredAt: timestamp.nullable().describe("When it last answered"),
  })
  .meta({ id: "TargetHealth" });

/** `GET /service-health` */
export const healthListSchema = z.strictObject({
  items: z.array(targetHealthSchema).describe("Every enabled service and connector"),
});

export type TargetHealth = z.infer<typeof targetHealthSchema>;
export type HealthList = z.infer<typeof healthListSchema>;
export type UsageFilterQuery = z.output<typeof filter>;
export type Usage = z.infer<typeof usageSchema>;
export type UsageRank = z.infer<typeof usageRankSchema>;
export type UsageRanking = z.infer<typeof usageRankingSchema>;
export type UsageDenial = z.infer<typeof usageDenialSchema>;
export type UsageDenials = z.infer<typeof usageDenialsSchema>;
