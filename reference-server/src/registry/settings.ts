import { z } from "zod";
import type { AuditEventData } from "../audit/events.js";
import type { Settings, SettingsChange } from "../store/settings.js";
import * as field from "../objects/fields.js";
import type { Work } from "./work.js";

/** Characters of what agents are told. */
const maximumInstructions = 4000;

/** What is set for the whole installation, wherever it is set. */
export const settingsFields = {
  installationName: field.text,
  instructions: z.string().trim().max(maximumInstructions).nullable(),
};

/** Which unregistered apps are admitted. */
export const appPolicyFields = {
  trust: z.enum(["off", "listed", "any"]),
  dynamicRegistration: z.boolean(),
};

/** Changes what is set for the whole installation; what is absent stays. */
export async function saveSettings(change: SettingsChange, { store, at, audit }: Work): Promise<void> {
  const data = describeChange(await store.settings.get(), change);
  if (Object.keys(data).length === 0) return;
  await store.settings.save(change, at);
  if ("appTrust" in data || "dynamicRegistration" in data) await store.clients.judgeTrust(at);
  await audit({ type: "installation.changed", data });
}

function describeChange(before: Settings, change: SettingsChange): AuditEventData["installation.changed"] {
  const { installationName: name, instructions, logo, appTrust, dynamicRegistration } = change;
  const digest = before.logo?.digest ?? null;
  const nextDigest = logo?.digest ?? null;
  return {
    ...(name !== undefined &&
      name !== before.installationName && { name: { from: before.installationName, to: name } }),
    ...(instructions !== undefined &&
      instructions !== before.instructions && {
        instructions: { from: before.instructions, to: instructions },
      }),
    ...(logo !== undefined && nextDigest !== digest && { logo: { from: digest, to: nextDigest } }),
    ...(appTrust !== undefined &&
      appTrust !== before.appTrust && { appTrust: { from: before.appTrust, to: appTrust } }),
    ...(dynamicRegistration !== undefined &&
      dynamicRegistration !== before.dynamicRegistration && {
        dynamicRegistration: { from: before.dynamicRegistration, to: dynamicRegistration },
      }),
  };
}
