import type { Adapter, AdapterFactory, AdapterPayload } from "oidc-provider";

/** An app that may use an account now. */
export interface ConnectedApp {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Where the provider keeps its state: in this process, gone with it. */
export interface Memory {
  readonly adapter: AdapterFactory;
  /** The apps that hold a token of this account which works. */
  appsOf(accountId: string): readonly ConnectedApp[];
  /** What the owner of this account has allowed an app before: the id of its grant. */
  grantOf(accountId: string, clientId: string): string | undefined;
  /** Takes back what the owner of this account has allowed an app, with every token. */
  removeApp(accountId: string, clientId: string): void;
}

interface Entry {
  readonly model: string;
  readonly payload: AdapterPayload;
  readonly expiresAt: number;
}

const TOKENS = ["AccessToken", "RefreshToken"];
const ALLOWED = [...TOKENS, "Grant"];

export function createMemory(): Memory {
  const entries = new Map<string, Entry>();

  function live(key: string): AdapterPayload | undefined {
    const entry = entries.get(key);
    if (entry !== undefined && entry.expiresAt <= Date.now()) {
      entries.delete(key);
      return undefined;
    }
    return entry?.payload;
  }

  function deleteWhere(matches: (entry: Entry) => boolean): void {
    for (const [key, entry] of entries) {
      if (matches(entry)) {
        entries.delete(key);
      }
    }
  }

  function forgetExpired(): void {
    deleteWhere(({ expiresAt }) => expiresAt <= Date.now());
  }

  function findWhere(
    model: string,
    matches: (payload: AdapterPayload) => boolean,
  ): AdapterPayload | undefined {
    forgetExpired();
    return [...entries.values()].find((entry) => entry.model === model && matches(entry.payload))?.payload;
  }

  function adapter(model: string): Adapter {
    return {
      async upsert(id, payload, expiresInSeconds = Number.POSITIVE_INFINITY) {
        forgetExpired();
        entries.set(`${model}:${id}`, { model, payload, expiresAt: Date.now() + expiresInSeconds * 1000 });
      },
      async find(id) {
        return live(`${model}:${id}`);
      },
      async findByUid(uid) {
        return findWhere(model, (payload) => payload.uid === uid);
      },
      async findByUserCode(userCode) {
        return findWhere(model, (payload) => payload.userCode === userCode);
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
    };
  }

  return {
    adapter,
    appsOf(accountId) {
      forgetExpired();
      const scopes = new Map<string, Set<string>>();
      for (const { model, payload } of entries.values()) {
        if (TOKENS.includes(model) && payload.accountId === accountId && payload.consumed === undefined) {
          const clientId = payload.clientId ?? "";
          const known = scopes.get(clientId) ?? new Set();
          scopes.set(clientId, new Set([...known, ...(payload.scope?.split(" ") ?? [])]));
        }
      }
      return [...scopes].map(([clientId, granted]) => ({ clientId, scopes: [...granted] }));
    },
    grantOf(accountId, clientId) {
      const isOurs = (payload: AdapterPayload): boolean =>
        payload.accountId === accountId && payload.clientId === clientId;
      return findWhere("Grant", isOurs)?.jti;
    },
    removeApp(accountId, clientId) {
      deleteWhere(
        ({ model, payload }) =>
          ALLOWED.includes(model) && payload.accountId === accountId && payload.clientId === clientId,
      );
    },
  };
}
