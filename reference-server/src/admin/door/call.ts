import type { AuditActor } from "../../audit/events.js";
import type { Authority } from "../../permissions/roles.js";
import type { Work } from "../../registry/work.js";
import type { ServerContext } from "../../context.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import type { Language } from "../../text/texts.js";
import type { Message } from "../../text/message.js";
import type { Upload } from "./requests.js";

/** Who calls the admin API: a person in a browser, or a machine with a token of its own. */
export type Caller =
  | {
      readonly type: "user";
      readonly user: User;
      readonly session: BrowserSession;
      /** What the browser has to send back with everything that changes something. */
      readonly csrfToken: string;
      readonly authority: Authority;
    }
  | {
      readonly type: "client";
      readonly clientId: string;
      /** The scopes of its token that give a role. */
      readonly scopes: readonly string[];
      readonly authority: Authority;
    };

/** Whose permissions a change can touch, so that a preview can say who gains and who loses what. */
export interface ChangeReach {
  /** The scopes that people may gain or lose; the function is called inside the transaction, before the change. */
  readonly scopes?: readonly string[] | ((store: Store) => Promise<readonly string[]>);
  /** The only addresses that can gain or lose; absent: all. */
  readonly emails?: (store: Store) => Promise<readonly string[]>;
  /** The key of a resource: compares who can use which scope there, and nowhere else. */
  readonly resource?: string;
  /** What else the change does, in sentences. Asked after the change. */
  readonly notes?: (store: Store) => Promise<readonly Message[]>;
}

/** A running change, and who makes it as of this transaction: what they had before may be gone. */
export interface AdminWork extends Work {
  readonly caller: Caller;
}

/** One request, for its handler. */
export interface AdminCall {
  readonly context: ServerContext;
  /** For reading; writes go through `change`. */
  readonly store: Store;
  readonly now: Date;
  readonly caller: Caller;
  readonly actor: AuditActor;
  /** The routes that the caller may use, such as `PATCH /users/{id}`. */
  readonly allowedRoutes: () => readonly string[];
  readonly requestId: string;
  readonly language: Language;
  /** Says it in the language of the caller. */
  readonly say: (message: Message) => string;
  /** The file of a route that takes one. */
  upload: Upload | undefined;
  /** The version that the caller saw, of a route with `ifMatch`. */
  version: number;
  /** The caller only wants to know what would happen. */
  preview: boolean;
  /**
   * Does everything that lasts: one transaction, one at a time among all processes, that never leaves the installation
   * without an administrator. With `?preview=true` it computes the impact, stores nothing, and does not return.
   *
   * Ask other servers before it, never in it.
   */
  readonly change: <T>(work: (work: AdminWork) => Promise<T>, reach?: ChangeReach) => Promise<T>;
}
