import type { z } from "zod";
import { logoPath } from "../../pages/frame.js";
import type { Logo, SettingsChange, Settings } from "../../store/settings.js";
import type { Store } from "../../store/store.js";
import type { Work } from "../../registry/work.js";
import { isoTime } from "../door/list-query.js";
import { requireVersion } from "../../registry/refusal.js";
import { saveSettings } from "../../registry/settings.js";
import type { AdminSettings, updateSettingsSchema } from "./schemas.js";
import type { Message } from "../../text/message.js";
import type { ChangeReach } from "../door/call.js";
import { note } from "../door/note.js";

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

/** Says in a preview who will read something else. */
export function reachOfSettings(): ChangeReach {
  let before: Settings | undefined;
  return {
    scopes: async (store) => {
      before = await store.settings.get();
      return [];
    },
    notes: async (store) => (before === undefined ? [] : describeChange(before, await store.settings.get())),
  };
}

function describeChange(before: Settings, after: Settings): readonly Message[] {
  return [
    ...(before.installationName === after.installationName
      ? []
      : [note("nameOther", { before: before.installationName, after: after.installationName })]),
    ...(before.instructions === after.instructions
      ? []
      : [note(after.instructions === null ? "instructionsGone" : "instructionsNew", {})]),
    ...(before.logo !== null && after.logo === null ? [note("logoGone", {})] : []),
  ];
}
