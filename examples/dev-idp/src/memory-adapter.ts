import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

interface Entry {
  readonly payload: AdapterPayload;
  readonly expiresAt: number;
}

/** Where oidc-provider keeps its state: in this process, gone with it. One store per provider. */
export function createMemoryAdapter(): AdapterFactory {
  const entries = new Map<string, Entry>();

  function live(key: string): AdapterPayload | undefined {
    const entry = entries.get(key);
    if (entry !== undefined && entry.expiresAt <= Date.now()) {
      entries.delete(key);
      return undefined;
    }
    return entry?.payload;
  }

  function first(model: string, matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined {
    for (const key of entries.keys()) {
      const payload = key.startsWith(`${model}:`) ? live(key) : undefined;
      if (payload !== undefined && matches(payload)) {
        return payload;
      }
    }
    return undefined;
  }

  return (model): Adapter => ({
    async upsert(id, payload, expiresInSeconds = Number.POSITIVE_INFINITY) {
      entries.set(`${model}:${id}`, { payload, expiresAt: Date.now() + expiresInSeconds * 1000 });
    },
    async find(id) {
      return live(`${model}:${id}`);
    },
    async findByUid(uid) {
      return first(model, (payload) => payload.uid === uid);
    },
    async findByUserCode(userCode) {
      return first(model, (payload) => payload.userCode === userCode);
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
      for (const [key, { payload }] of entries) {
        if (payload.grantId === grantId) {
          entries.delete(key);
        }
      }
    },
  });
}
