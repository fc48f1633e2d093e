import { z } from "zod";
import { settingsFields } from "../../registry/settings.js";
import { timestamp } from "../door/show.js";

/** What `PUT /settings/logo` stored; it takes the image itself as the body. */
const logoSchema = z.strictObject({
  type: z.enum(["image/png", "image/svg+xml"]),
  url: z.string().describe("A path that changes with the logo"),
  bytes: z.int(),
});

export const settingsSchema = z
  .strictObject({
    installationName: z.string(),
    instructions: z.string().nullable().describe("Shown to agents as installation.instructions of /api/me"),
    logo: logoSchema.nullable(),
    version: z.int(),
    updatedAt: timestamp,
  })
  .meta({ id: "Settings" });

/** `PATCH /settings`: what is absent stays as it is. */
export const updateSettingsSchema = z.strictObject(settingsFields).partial();

export type AdminSettings = z.infer<typeof settingsSchema>;
