import type { Database } from "./postgres/database.js";

/** The last sign-in that succeeded as a test of a provider. */
export interface ProviderTest {
  readonly providerId: string;
  /** Sealed by the credential vault, bound to `providerTestRow(providerId)`. */
  readonly settings: Buffer;
  readonly testedAt: Date;
}

/** Kept beside the providers: a test is no change of one, so it does not count its version up. */
export function createProviderTestStore(database: Database) {
  const columns = { providerId: "provider_id", settings: "settings", testedAt: "tested_at" } as const;
  return {
    async find(providerId: string): Promise<ProviderTest | undefined> {
      const [row] = await database("provider_tests")
        .select<ProviderTest[]>(columns)
        .where({ provider_id: providerId });
      return row;
    },
    async findAll(providerIds: readonly string[]): Promise<readonly ProviderTest[]> {
      return await database("provider_tests")
        .select<ProviderTest[]>(columns)
        .whereIn("provider_id", [...providerIds]);
    },
    /** Replaces the last one. */
    async save({ providerId, settings, testedAt }: ProviderTest): Promise<void> {
      await database("provider_tests")
        .insert({ provider_id: providerId, settings, tested_at: testedAt })
        .onConflict("provider_id")
        .merge();
    },
  };
}
