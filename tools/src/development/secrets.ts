import { type DevelopmentSecrets as SystemSecrets, loadSecrets as loadSystemSecrets } from "../parts.js";

/** What Notes, the third party, has to know as well. */
export const secretNames = ["notesClientSecret"] as const;

export type DevelopmentSecrets = SystemSecrets & Readonly<Record<(typeof secretNames)[number], string>>;

/** The secrets of the system in this folder, those of Notes among them. */
export function loadSecrets(stateDirectory: string): Promise<DevelopmentSecrets> {
  return loadSystemSecrets(stateDirectory, secretNames);
}
