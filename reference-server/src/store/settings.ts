/** What an administrator sets for the whole installation. */
export interface Settings {
  readonly installationName: string;
}

export interface SettingsStore {
  /** @throws Error when the default records were never created. */
  get(): Promise<Settings>;
  /** Waits for other changes of the configuration, and makes them wait until this transaction ends. */
  lock(): Promise<void>;
  save(settings: Settings, at: Date): Promise<void>;
  /** Returns whether the row was new; an existing row stays as it is. */
  insertMissing(settings: Settings, at: Date): Promise<boolean>;
}
