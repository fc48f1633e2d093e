import type { z } from "zod";
import { logoPath } from "../../pages/frame.js";
import type { Logo, SettingsChange } from "../../store/settings.js";
import type { Store } from "../../store/store.js";
import type { Work } from "../../registry/work.js";
import { isoTime } from "../door/list-query.js";
import { requireVersion } from "../../registry/refusal.js";
import { saveSettings } from "../../registry/settings.js";
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

/** @throws {Refusal} `version_conflict` */
export async function changeSettings(
  { change, version }: { readonly change: z.output<typeof updateSettingsSchema>; readonly version: number },
  work: Work,
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

/** @throws {Refusal} `version_conflict` */
export async function changeLogo(
  { logo, version }: { readonly logo: Logo | null; readonly version: number },
  work: Work,
): Promise<AdminSettings> {
  return await save({ logo }, { version, work });
}

async function save(
  change: SettingsChange,
  { version, work }: { readonly version: number; readonly work: Work },
): Promise<AdminSettings> {
  const { store } = work;
  requireVersion(await loadSettings(store), version);
  await saveSettings(change, work);
  return await loadSettings(store);
}
