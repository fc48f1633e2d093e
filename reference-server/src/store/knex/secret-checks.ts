import type { SecretCheck, SecretCheckStore } from "../secret-checks.js";
import type { Database } from "./database.js";

export function createSecretCheckStore(database: Database): SecretCheckStore {
  const rows = () => database<SecretCheck>("secret_checks");
  return {
    async read() {
      const { rows: tables } = await database.raw<{ rows: { found: boolean }[] }>(
        "SELECT to_regclass('secret_checks') IS NOT NULL AS found",
      );
      const stored = tables[0]?.found === true ? await rows().select("variable", "value") : [];
      return new Map(stored.map(({ variable, value }) => [variable, value]));
    },
    async insertMissing(checks) {
      if (checks.length > 0)
        await rows()
          .insert([...checks])
          .onConflict("variable")
          .ignore();
    },
    async replace({ variable, value }) {
      await rows()
        .insert({ variable, value })
        .onConflict("variable")
        .merge({ value, stored_at: database.fn.now() } as Partial<SecretCheck>);
    },
  };
}
