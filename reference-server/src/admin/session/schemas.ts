import { z } from "zod";
import { roles } from "../../permissions/roles.js";

/** Who is signed in at the console, and what its pages need. */
export const sessionSchema = z
  .strictObject({
    user: z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() }),
    roles: z.array(z.enum(roles)).describe("What the person is here"),
    may: z
      .array(z.string())
      .describe("The routes that the person may use, as this document names them: `PATCH /users/{id}`"),
    csrfToken: z
      .string()
      .describe("Goes into the header `x-authz-csrf` of everything that changes something"),
    installation: z.strictObject({ name: z.string(), hasLogo: z.boolean() }),
    issuer: z.string(),
    version: z.string().describe("Of the server"),
  })
  .meta({ id: "Session" });

export type Session = z.infer<typeof sessionSchema>;
