import { z } from "zod";
import { key, scopeKey } from "../../objects/fields.js";
import { clientId } from "../clients/schemas.js";
import { listAnswer, listQuery } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const ending = { until: timestamp.optional().describe("When the assignment ends; absent: it is for good") };

const reasonSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("email"), assignmentId: z.uuid(), ...ending }),
  z.strictObject({
    type: z.literal("group"),
    assignmentId: z.uuid(),
    group: z.strictObject({
      key: z.string(),
      provider: z.strictObject({ key: z.string(), name: z.string() }),
    }),
    ...ending,
  }),
]);

const person = {
  id: z.uuid().nullable().describe("null: has never signed in with this address"),
  email: z.string(),
  name: z.string().nullable(),
};

/** A person who has access, and why. */
const accessHolderSchema = z.strictObject({
  ...person,
  scopes: z
    .array(
      z.strictObject({
        scope: z.string(),
        by: z.array(reasonSchema).describe("The assignments that give it"),
      }),
    )
    .describe("Which of `scopes` the person has"),
});

export const accessParamsSchema = z.strictObject({ key });
export const scopeAccessParamsSchema = z.strictObject({ key: scopeKey });
export const clientAccessParamsSchema = z.strictObject({ id: clientId });

/** `q` is looked for in addresses and names. */
export const accessQuerySchema = listQuery({
  sorts: ["email"],
  filters: { scope: scopeKey.optional().describe("Only who has this one of `scopes`") },
});

/** Who has access, one page of them. */
export const accessListSchema = listAnswer(accessHolderSchema)
  .extend({
    people: z
      .int()
      .describe(
        "Everybody whose permissions the database knows, whatever `q` says; with `scope`, who has that",
      ),
    match: z.enum(["any", "every"]).describe("Whether one of `scopes` is enough, or all of them are needed"),
    scopes: z.array(z.string()).describe("What gives access; empty: nothing does, as at a disabled service"),
    groups: z
      .array(z.strictObject({ provider: z.string(), key: z.string(), name: z.string(), scope: z.string() }))
      .describe(
        "Groups of directories that have one of them: their members are not among the people counted",
      ),
  })
  .meta({ id: "AccessList" });
export type AccessList = z.infer<typeof accessListSchema>;
export type AccessHolder = AccessList["items"][number];
export type AccessQuery = z.output<typeof accessQuerySchema>;

/** A person who has allowed an app to act for them. */
const appUserSchema = z.strictObject({
  ...person,
  id: z.uuid(),
  email: z.string().nullable().describe("null once a provider has given the address to somebody else"),
  devices: z.int().describe("Sign-ins of the app that are live"),
  services: z
    .array(z.string())
    .describe("Names of the services that they are for; one for this server's own API is not among them"),
  since: timestamp.describe("Of the oldest of them"),
});

/** `GET /clients/{id}/people`; `q` finds words of addresses and names by their beginning. */
export const appUsersQuerySchema = listQuery({ sorts: ["email"], filters: {} });

export const appUserListSchema = listAnswer(appUserSchema)
  .extend({ people: z.int().describe("All of them, whatever `q` says") })
  .meta({ id: "AppUserList" });
export type AppUserList = z.infer<typeof appUserListSchema>;
