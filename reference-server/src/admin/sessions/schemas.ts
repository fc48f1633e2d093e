import { z } from "zod";

const time = z.iso.datetime();
const person = z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() });
const named = z.strictObject({ key: z.string(), name: z.string() });

export const sessionSorts = ["signedInAt"] as const;
export type SessionSort = (typeof sessionSorts)[number];

export const sessionFilters = {
  user: z.uuid().describe("Only those of this person").optional(),
  provider: z.string().max(100).describe("Only sign-ins at the provider with this key").optional(),
};

/** A person who is signed in in one browser. */
export const sessionSchema = z.strictObject({
  id: z.uuid(),
  user: person,
  provider: named,
  browser: z.string().describe('Such as "Firefox on Linux"'),
  userAgent: z.string().nullable(),
  authenticatedAt: time.describe("When the provider authenticated the person"),
  amr: z.array(z.string()).describe("How the provider authenticated the person (RFC 8176)"),
  signedInAt: time,
  expiresAt: time,
  current: z.boolean().describe("Whether it is the session that asks"),
});
export type Session = z.infer<typeof sessionSchema>;

export const logInSorts = ["createdAt"] as const;
export type LogInSort = (typeof logInSorts)[number];

export const logInStates = ["live", "ended"] as const;
export type LogInState = (typeof logInStates)[number];

export const logInFilters = {
  user: z.uuid().describe("Only those of this person").optional(),
  client: z.string().max(100).describe("Only those of the client with this id").optional(),
  state: z.enum(logInStates).describe("Both, unless one is named").optional(),
};

/** A client that acts for a person on one device. Its id is `sid` in tokens. */
export const logInSchema = z.strictObject({
  id: z.uuid(),
  user: person,
  client: z.strictObject({ id: z.string(), name: z.string() }),
  shortCode: z.string().nullable().describe("What the device shows as well; null for a client without a key"),
  scopes: z.array(z.string()),
  authenticatedAt: time,
  amr: z.array(z.string()),
  createdAt: time,
  expiresAt: time,
  state: z.enum(logInStates),
  revokedAt: time.nullable(),
  revocationReason: z.string().nullable(),
});
export type LogIn = z.infer<typeof logInSchema>;

export const revocationsSchema = z.strictObject({
  ids: z.array(z.uuid()).min(1).max(200).describe("Those that have ended already are left out"),
});
export type Revocations = z.infer<typeof revocationsSchema>;

export const revokedSchema = z.strictObject({
  revoked: z.int().describe("How many have ended by this request"),
});
export type Revoked = z.infer<typeof revokedSchema>;
