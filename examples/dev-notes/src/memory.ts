import { createMemory as createProviderMemory } from "@authz/dev-idp/parts";
import type { AdapterFactory, AdapterPayload } from "oidc-provider";

/** An app that may use an account now. */
interface ConnectedApp {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** The state of the provider, and what the owner of an account may know and do about it. */
export interface Memory {
  readonly adapter: AdapterFactory;
  /** The apps that hold a token of this account which works. */
  appsOf(accountId: string): readonly ConnectedApp[];
  /** What the owner of this account has allowed an app before: the id of its grant. */
  grantOf(accountId: string, clientId: string): string | undefined;
  /** Takes back what the owner of this account has allowed an app, with every token. */
  removeApp(accountId: string, clientId: string): void;
}

const TOKENS = ["AccessToken", "RefreshToken"];
const ALLOWED = [...TOKENS, "Grant"];

export function createMemory(): Memory {
  const { adapter, list, remove } = createProviderMemory();
  const isOf = (accountId: string, clientId: string) => (payload: AdapterPayload) =>
    payload.accountId === accountId && payload.clientId === clientId;

  return {
    adapter,
    appsOf(accountId) {
      const scopes = new Map<string, Set<string>>();
      for (const payload of list(TOKENS)) {
        if (payload.accountId === accountId && payload.consumed === undefined) {
          const clientId = payload.clientId ?? "";
          const known = scopes.get(clientId) ?? new Set();
          scopes.set(clientId, new Set([...known, ...(payload.scope?.split(" ") ?? [])]));
        }
      }
      return [...scopes].map(([clientId, granted]) => ({ clientId, scopes: [...granted] }));
    },
    grantOf: (accountId, clientId) => list(["Grant"]).find(isOf(accountId, clientId))?.jti,
    removeApp: (accountId, clientId) => remove(ALLOWED, isOf(accountId, clientId)),
  };
}
