/** A variable of the environment, and what can be compared of it. */
export interface SecretCheck {
  readonly variable: string;
  readonly value: string;
}

export interface SecretCheckStore {
  /** What is stored, by variable. Nothing while the schema is older. */
  read(): Promise<ReadonlyMap<string, string>>;
  /** Whoever is first wins. */
  insertMissing(checks: readonly SecretCheck[]): Promise<void>;
  replace(check: SecretCheck): Promise<void>;
}
