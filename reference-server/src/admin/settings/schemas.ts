import { z } from "zod";

/** Characters of the text shown to agents. */
export const maximumInstructions = 4000;
/** Bytes of the logo, which `PUT /settings/logo` takes as the body: image/png or image/svg+xml. */
export const maximumLogoBytes = 64 * 1024;

export const logoSchema = z.strictObject({
  type: z.enum(["image/png", "image/svg+xml"]),
  url: z.string().meta({ description: "A path that changes with the logo" }),
  bytes: z.int(),
});

export const settingsSchema = z.strictObject({
  installationName: z.string(),
  instructions: z
    .string()
    .nullable()
    .meta({ description: "Shown to agents as installation.instructions of /api/me" }),
  logo: logoSchema.nullable(),
  version: z.int(),
  updatedAt: z.iso.datetime(),
});

/** `PATCH /settings`: what is absent stays as it is. */
export const updateSettingsSchema = z.strictObject({
  installationName: z.string().trim().min(1).max(200).optional(),
  instructions: z.string().trim().max(maximumInstructions).nullable().optional(),
});

export type AdminSettings = z.infer<typeof settingsSchema>;
export type UpdateSettings = z.input<typeof updateSettingsSchema>;
