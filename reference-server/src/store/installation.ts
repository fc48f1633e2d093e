/**
 * How far the installation is: `empty` as long as nobody can sign in, `incomplete` as long as nobody may administer,
 * then `installed` for good.
 */
export type InstallationState = "empty" | "incomplete" | "installed";

export interface InstallationStore {
  state(): Promise<InstallationState>;
  /** Marks the installation as complete, and returns whether this call is the one that did. The others wait for it. */
  complete(at: Date): Promise<boolean>;
  /** The same for an installation that has a provider and an administrator already. */
  completeIfConfigured(at: Date): Promise<boolean>;
}
