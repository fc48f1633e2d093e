/** What an administrator sets for the whole installation. */
export interface Settings {
  readonly installationName: string;
  /** What agents are told; `null` when there is nothing to tell. */
  readonly instructions: string | null;
  /** The image in place of the letter; `null`: the letter. */
  readonly logo: LogoFacts | null;
  readonly version: number;
  readonly updatedAt: Date;
}

export interface LogoFacts {
  readonly type: "image/png" | "image/svg+xml";
  /** SHA-256 in base64url. */
  readonly digest: string;
  readonly bytes: number;
}

export interface Logo extends Omit<LogoFacts, "bytes"> {
  readonly content: Buffer;
}

/** What is not there stays as it is. */
export interface SettingsChange {
  readonly installationName?: string;
  readonly instructions?: string | null;
  readonly logo?: Logo | null;
}

export interface SettingsStore {
  /** @throws Error when the default records were never created. */
  get(): Promise<Settings>;
  findLogo(): Promise<Logo | undefined>;
  /** Waits for other changes of the configuration, and makes them wait until this transaction ends. */
  lock(): Promise<void>;
  save(change: SettingsChange, at: Date): Promise<void>;
  /** Returns whether the row was new; an existing row stays as it is. */
  insertMissing(settings: Pick<Settings, "installationName">, at: Date): Promise<boolean>;
}
