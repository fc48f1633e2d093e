import { z } from "zod";
import { issue } from "../../objects/check.js";

const list = z
  .string()
  .max(60)
  .regex(/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/, issue("viewList").message)
  .describe("The list of the console, by its path: `users`, `sessions/devices`");

/** How an administrator likes to see a list of the console. */
export const viewSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    query: z.string().describe("What stands behind the question mark of the console's address"),
  })
  .meta({ id: "SavedView" });
export type SavedView = z.infer<typeof viewSchema>;

export const viewListSchema = z.strictObject({ items: z.array(viewSchema) });
export type SavedViewList = z.infer<typeof viewListSchema>;

/** `GET /views` */
export const viewQuerySchema = z.strictObject({ list });

/** `PUT /views` */
export const saveViewSchema = z.strictObject({
  list,
  name: z.string().trim().min(1).max(80).describe("One of the same name is replaced"),
  query: z
    .string()
    .max(2000)
    // As `URLSearchParams` writes it, so that it can be nothing but the query of an address.
    .regex(/^[\w.*+%&=~-]*$/, issue("viewQuery").message),
});

export const viewParamsSchema = z.strictObject({ id: z.uuid() });
