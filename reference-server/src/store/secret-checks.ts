import { type Database, queryRows } from "./postgres/database.js";

/** A variable of the environment, and a value to compare. */
interface SecretCheck {
  readonly variable: string;
  readonly value: string;
}

export function createSecretCheckStore(database: Database) {
  const rows = () => database<SecretCheck>("secret_checks");

  return {
    /** The stored values by variable; none before the first migration. */
    async read(): Promise<ReadonlyMap<string, string>> {
      const tables = await queryRows<{ found: boolean }>(
        database,
        "SELECT to_regclass('secret_checks') IS NOT NULL AS found",
      );
      const stored = tables[0]?.found === true ? await rows().select("variable", "value") : [];
      return new Map(stored.map(({ variable, value }) => [variable, value]));
    },
    /** The first process wins. */
    async insertMissing(checks: readonly SecretCheck[]): Promise<void> {
      if (checks.length > 0)
        await rows()
          .insert([...checks])
          .onConflict("variable")
          .ignore();
    },
    async replace({ variable, value }: SecretCheck): Promise<void> {
      await rows()
        .insert({ variable, value })
        .onConflict("variable")
        .merge({ value, stored_at: database.fn.now() } as Partial<SecretCheck>);
    },
  };
}
