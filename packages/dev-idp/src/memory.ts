import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

/** Where a provider keeps its state: in this process, gone with it. */
export interface Memory {
  readonly adapter: AdapterFactory;
  /** Everything of these kinds that has not expired. */
  readonly list: (models: readonly string[]) => readonly AdapterPayload[];
  readonly remove: (models: readonly string[], matches: (payload: AdapterPayload) => boolean) => void;
}

interface Entry {
  readonly model: string;
  readonly payload: AdapterPayload;
  readonly expiresAt: number;
}

/** Creates the state of one oidc-provider. */
export function createMemory(): Memory {
  const entries = new Map<string, Entry>();

  function deleteWhere(matches: (entry: Entry) => boolean): void {
    for (const [key, entry] of entries) {
      if (matches(entry)) {
        entries.delete(key);
      }
    }
  }

  function list(models: readonly string[]): readonly AdapterPayload[] {
    deleteWhere(({ expiresAt }) => expiresAt <= Date.now());
    return [...entries.values()].filter(({ model }) => models.includes(model)).map(({ payload }) => payload);
  }

  function live(key: string): AdapterPayload | undefined {
    const entry = entries.get(key);
    return entry === undefined || entry.expiresAt <= Date.now() ? undefined : entry.payload;
  }

  return {
    list,
    remove: (models, matches) => {
      deleteWhere(({ model, payload }) => models.includes(model) && matches(payload));
    },
    adapter: (model): Adapter => ({
      async upsert(id, payload, expiresInSeconds = Number.POSITIVE_INFINITY) {
        entries.set(`${model}:${id}`, { model, payload, expiresAt: Date.now() + expiresInSeconds * 1000 });
      },
      async find(id) {
        return live(`${model}:${id}`);
      },
      async findByUid(uid) {
        return list([model]).find((payload) => payload.uid === uid);
      },
      async findByUserCode(userCode) {
        return list([model]).find((payload) => payload.userCode === userCode);
      },
      async consume(id) {
        const payload = live(`${model}:${id}`);
        if (payload !== undefined) {
          payload.consumed = Math.floor(Date.now() / 1000);
        }
      },
      async destroy(id) {
        entries.delete(`${model}:${id}`);
      },
      async revokeByGrantId(grantId) {
        deleteWhere(({ payload }) => payload.grantId === grantId);
      },
    }),
  };
}
