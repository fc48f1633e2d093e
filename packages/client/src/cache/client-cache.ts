/**
 * Keeps metadata and the list of registered services while they are fresh.
 *
 * What it holds is not secret, but it decides where credentials go: nobody else may be able to change it.
 */
export interface ClientCache {
  /** The value, or undefined when there is none or it is no longer fresh. */
  read(key: string): Promise<unknown>;
  write(key: string, value: unknown, expiresAt: number): Promise<void>;
  clear(): Promise<void>;
}
