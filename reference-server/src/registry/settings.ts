import type { Work } from "./work.js";

/** Gives the installation its name. */
export async function saveInstallationName(name: string, { store, at, audit }: Work): Promise<void> {
  const { installationName: from } = await store.settings.get();
  if (from === name) return;
  await store.settings.save({ installationName: name }, at);
  await audit({ type: "installation.changed", data: { name: { from, to: name } } });
}
