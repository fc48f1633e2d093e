import type { Database } from "./postgres/database.js";

/** What a provider calls SCIM with. The secret itself is shown once, and stored as a hash. */
export interface ProvisioningCredential {
  readonly id: string;
  readonly providerId: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
}

/** The last request of a provider that was refused. */
export interface ProvisioningFailure {
  readonly at: Date;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly detail: string;
}

const columns = {
  id: "id",
  providerId: "provider_id",
  createdAt: "created_at",
  lastUsedAt: "last_used_at",
} as const;

const usedSeconds = 60;

export function createProvisioningCredentialStore(database: Database) {
  const list = async (providerId: string): Promise<readonly ProvisioningCredential[]> =>
    await database("provisioning_credentials")
      .where({ provider_id: providerId })
      .orderBy(["created_at", "id"])
      .select<ProvisioningCredential[]>(columns);

  return {
    list,
    /** The credential with this hash, of any provider. */
    async findPresented(hash: Buffer): Promise<ProvisioningCredential | undefined> {
      const [found] = await database("provisioning_credentials")
        .where({ secret_hash: hash })
        .select<ProvisioningCredential[]>(columns);
      return found;
    },
    /** Remembers the use once a minute: more would be a write for each request. */
    async use(
      { id, lastUsedAt }: Pick<ProvisioningCredential, "id" | "lastUsedAt">,
      at: Date,
    ): Promise<void> {
      const before = new Date(at.getTime() - usedSeconds * 1000);
      if (lastUsedAt !== null && lastUsedAt > before) return;
      await database("provisioning_credentials")
        .where({ id })
        .whereRaw("coalesce(last_used_at, '-infinity') < ?", [before])
        .update({ last_used_at: at });
    },
    /** Stores a credential unless the provider has as many as it may. Returns whether it was stored. */
    async insert(
      { id, providerId, createdAt }: ProvisioningCredential,
      { hash, most }: { readonly hash: Buffer; readonly most: number },
    ): Promise<boolean> {
      // Creations of one provider wait for each other, so that two of them cannot each count the same.
      await database("identity_providers").select("id").where({ id: providerId }).forNoKeyUpdate();
      if ((await list(providerId)).length >= most) return false;
      await database("provisioning_credentials").insert({
        id,
        provider_id: providerId,
        secret_hash: hash,
        created_at: createdAt,
      });
      return true;
    },
    /** Returns whether there was one. */
    async remove({ id, providerId }: Pick<ProvisioningCredential, "id" | "providerId">): Promise<boolean> {
      return (await database("provisioning_credentials").where({ id, provider_id: providerId }).delete()) > 0;
    },
    /** Remembers the last refusal of a provider. */
    async fail(providerId: string, failure: ProvisioningFailure): Promise<void> {
      await database("provisioning_failures")
        .insert({ provider_id: providerId, ...failure })
        .onConflict("provider_id")
        .merge();
    },
    async findFailure(providerId: string): Promise<ProvisioningFailure | undefined> {
      const [failure] = await database("provisioning_failures")
        .where({ provider_id: providerId })
        .select<ProvisioningFailure[]>("at", "method", "path", "status", "detail");
      return failure;
    },
  };
}
