import type { Auth, Policy } from "@authz/verify";
import type { ContractApp } from "../../src/adapter/contract-app.js";

/** One route of the contract application, where there is no framework to declare it with. */
export interface ContractRoute {
  /** Undefined: open. */
  readonly policy?: Policy;
  /** The path whose calls need approval. */
  readonly approvedPath?: string;
  respond(auth: Auth | undefined, body: unknown): unknown;
}

/** The routes of the contract application by method and path. */
export function contractRoutes({ entered }: ContractApp): ReadonlyMap<string, ContractRoute> {
  const guarded = (path: string, policy: Policy): ContractRoute => ({
    policy,
    respond(auth) {
      entered(path);
      if (path === "/api/throws") throw new Error("The handler failed.");
      return path === "/api/me" ? auth : { subject: auth?.identity.subject };
    },
  });
  const approved = (path: string): ContractRoute => ({
    policy: { scopes: ["contracts:write"] },
    approvedPath: path,
    respond(auth) {
      entered(path);
      return auth?.transaction ?? {};
    },
  });
  const read = { scopes: ["contracts:read"] };
  const routes: readonly (readonly [string, ContractRoute])[] = [
    ["GET /api/contracts", guarded("/api/contracts", read)],
    ["POST /api/contracts", guarded("/api/contracts", read)],
    ["GET /api/admin", guarded("/api/admin", { scopes: ["contracts:read", "contracts:write"] })],
    ["GET /api/either", guarded("/api/either", { anyScopes: ["contracts:write", "contracts:delete"] })],
    ["GET /api/me", guarded("/api/me", {})],
    ["GET /grouped/contracts", guarded("/grouped/contracts", read)],
    ["GET /api/throws", guarded("/api/throws", read)],
    ["POST /api/payments", approved("/api/payments")],
    ["DELETE /api/payments", approved("/api/payments")],
    ["POST /api/transfers", approved("/api/transfers")],
    ["GET /open", { respond: () => ({ open: true }) }],
    ["POST /echo", { respond: (_auth, body) => body }],
  ];
  return new Map(routes);
}

/** The name under which a route is found: `HEAD` is answered where `GET` is, and the query does not count. */
export function routeName(method: string, target: string): string {
  const path = /^(?:[a-z]+:\/\/[^/]*)?([^?#]*)/i.exec(target)?.[1] ?? "";
  return `${method === "HEAD" ? "GET" : method} ${path}`;
}

/** A form or JSON as body parsers leave it. */
export function parseBody(contentType: string, text: string): unknown {
  if (contentType.startsWith("application/json")) return text === "" ? undefined : JSON.parse(text);
  if (!contentType.startsWith("application/x-www-form-urlencoded")) return undefined;
  const form: Record<string, string | string[]> = {};
  const parameters = new URLSearchParams(text);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    form[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return form;
}
