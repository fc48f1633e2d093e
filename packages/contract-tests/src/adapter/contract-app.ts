import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import type { ApprovalNeed, AuthzOptions } from "@authz/verify";

/**
 * The little application that every adapter's test builds with its framework and listens with on 127.0.0.1.
 *
 * | Route | Guard | Answer |
 * |---|---|---|
 * | `GET`, `POST /api/contracts` | `contracts:read` | `{ "subject" }` |
 * | `GET /api/admin` | `contracts:read` and `contracts:write` | the same |
 * | `GET /api/either` | any of `contracts:write`, `contracts:delete` | the same |
 * | `GET /api/me` | an empty policy | the whole `auth` |
 * | `GET /grouped/contracts` | `contracts:read`, on the router or prefix | `{ "subject" }` |
 * | `GET /api/throws` | `contracts:read` | the handler throws an `Error` |
 * | `POST`, `DELETE /api/payments`, `POST /api/transfers` | `contracts:write`, and approval of what `need(path)` says, with the header `If-Match` | the `transaction`, or `{}` |
 * | `GET /open` | none | `{ "open": true }` |
 * | `POST /echo` | none | the body as the application's own parser sees it |
 *
 * Every handler of the first seven calls `entered(path)` before anything else.
 */
export interface ContractApp {
  readonly issuer: string;
  readonly options: AuthzOptions;
  /** Run the framework's JSON and form parsers in front of everything. */
  readonly bodyParsers: boolean;
  /** Guard the whole application with `requireAuth()`, after `registerRoutes`. */
  readonly guardEverything: boolean;
  readonly entered: (path: string) => void;
  /** What a person has to approve for a path. */
  readonly need: (path: string) => ApprovalNeed | Promise<ApprovalNeed>;
}

/** A listening application. */
export interface RunningApp {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Listens on a free loopback port. */
export async function listen(server: Server): Promise<RunningApp & { readonly origin: string }> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Builds the application with one framework. */
export type StartAdapter = (app: ContractApp) => Promise<RunningApp>;

/** What an adapter cannot do where its framework places guards. */
export interface AdapterTraits {
  /** A guard answers before the framework looks at the body. Default: true. */
  readonly guardsUnreadBodies?: boolean;
  /** A guard sees the form that a body parser made. Default: true. */
  readonly seesForms?: boolean;
  /** The framework sends a request whose target is not simply a path elsewhere before a guard sees it. Default: false. */
  readonly redirectsOddTargets?: boolean;
}
