import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

/**
 * The library's own in-memory adapter keeps a thousand entries, fewer than one round of codes needs. This one keeps
 * all, and does as little.
 */
export function createMemoryAdapter(): AdapterFactory {
  const entries = new Map<string, AdapterPayload>();

  function removeWhere(matches: (payload: AdapterPayload) => boolean): void {
    for (const [key, payload] of entries) if (matches(payload)) entries.delete(key);
  }

  return (model): Adapter => ({
    async upsert(id, payload) {
      entries.set(`${model}:${id}`, payload);
    },
    find: async (id) => entries.get(`${model}:${id}`),
    findByUid: async (uid) => [...entries.values()].find((payload) => payload.uid === uid),
    findByUserCode: async (code) => [...entries.values()].find((payload) => payload.userCode === code),
    async consume(id) {
      const payload = entries.get(`${model}:${id}`);
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      entries.delete(`${model}:${id}`);
    },
    async revokeByGrantId(grantId) {
      removeWhere((payload) => payload.grantId === grantId);
    },
  });
}
