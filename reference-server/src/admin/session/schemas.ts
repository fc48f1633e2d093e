import { z } from "zod";

/** Who is signed in at the console, and what its pages need. */
export const sessionSchema = z
  .strictObject({
    user: z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() }),
    csrfToken: z
      .string()
      .describe("Goes into the header `x-authz-csrf` of everything that changes something"),
    installation: z.strictObject({ name: z.string(), hasLogo: z.boolean() }),
    issuer: z.string(),
    version: z.string().describe("Of the server"),
  })
  .meta({ id: "Session" });

export type Session = z.infer<typeof sessionSchema>;
