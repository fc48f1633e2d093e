import { type CatalogSkill, skillDigest } from "@authz/skills";
import type { OauthServer } from "./oauth-server.js";

export const text = "# Errors é\n";
export const picture = Uint8Array.of(0x89, 0, 0xff);
/** Two files as a catalog names them. */
export const textEntry = { path: "references/errors.md", size: 12, digest: skillDigest(text) };
export const pictureEntry = { path: "assets/logo.png", size: 3, digest: skillDigest(picture) };

export function catalogSkill(id: string, scope: string, changes: Partial<CatalogSkill> = {}): CatalogSkill {
  return {
    id,
    title: `Title of ${id}`,
    requiredScopes: [scope],
    visibility: "DEFAULT",
    content: `# ${id}`,
    ...changes,
  };
}

/** Stores a catalog of the service Contracts, with both files. */
export async function publishSkills(
  { server, resource }: OauthServer,
  items: readonly CatalogSkill[],
): Promise<void> {
  const { store } = server.context;
  const at = new Date();
  await store.resources.save({ ...resource, skillDiscovery: true }, at);
  await store.skillCatalogs.saveSuccess({
    resourceId: resource.id,
    items,
    files: new Map([
      [textEntry.digest, Buffer.from(text)],
      [pictureEntry.digest, Buffer.from(picture)],
    ]),
    at,
    refreshAt: new Date(at.getTime() + 3_600_000),
  });
}
