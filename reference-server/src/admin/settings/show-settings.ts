import { logoPath } from "../../pages/branding/logo-path.js";
import type { Store } from "../../store/store.js";
import { isoTime } from "../http/list-query.js";
import type { AdminSettings } from "./schemas.js";

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
