import type { z } from "zod";
import type { AuditEventData } from "../../audit/events.js";
import { logoPath } from "../../pages/branding/logo-path.js";
import type { Logo, Settings, SettingsChange } from "../../store/settings.js";
import type { Store } from "../../store/store.js";
import type { ChangeWork } from "../http/call.js";
import { isoTime } from "../http/list-query.js";
import { requireVersion } from "../http/versions.js";
import type { AdminSettings, updateSettingsSchema } from "./schemas.js";

/** The settings as the API shows them. */
export async function loadSettings(store: Pick<Store, "settings">): Promise<AdminSettings> {
  const { installationName, instructions, logo, version, updatedAt } = await store.settings.get();
  return {
    installationName,
    instructions,
    logo: logo && { type: logo.type, url: logoPath(logo), bytes: logo.bytes },
    version,
    updatedAt: isoTime(updatedAt),
  };
}

/** @throws {AdminError} `version_conflict` */
export async function changeSettings(
  { change, version }: { readonly change: z.output<typeof updateSettingsSchema>; readonly version: number },
  work: ChangeWork,
): Promise<AdminSettings> {
  const { installationName, instructions } = change;
  return await save(
    {
      ...(installationName !== undefined && { installationName }),
      ...(instructions !== undefined && { instructions: instructions === "" ? null : instructions }),
    },
    { version, work },
  );
}

/** @throws {AdminError} `version_conflict` */
export async function changeLogo(
  { logo, version }: { readonly logo: Logo | null; readonly version: number },
  work: ChangeWork,
): Promise<AdminSettings> {
  return await save({ logo }, { version, work });
}

async function save(
  change: SettingsChange,
  { version, work }: { readonly version: number; readonly work: ChangeWork },
): Promise<AdminSettings> {
  const { store, at, audit } = work;
  requireVersion(await loadSettings(store), version);
  const data = describeChange(await store.settings.get(), change);
  if (Object.keys(data).length > 0) {
    await store.settings.save(change, at);
    await audit({ type: "installation.changed", data });
  }
  return await loadSettings(store);
}

function describeChange(before: Settings, change: SettingsChange): AuditEventData["installation.changed"] {
  const { installationName: name, instructions, logo } = change;
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
  };
}
