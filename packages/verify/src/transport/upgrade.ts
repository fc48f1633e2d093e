import type { EventEmitter } from "node:events";
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Auth, Decision, Policy } from "../decision.js";
import type { AuthzRequest } from "../messages.js";
import { type NodeRequest, requestFromNode, sendNodeResponse } from "./node.js";

/** An authorized upgrade and its caller. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** The first bytes after the request, if any. */
  readonly head: Buffer;
  /** The verified caller. The connection can outlive `auth.expiresAt`: close it then. */
  readonly auth: Auth;
}

/** A listener for the `upgrade` event of a server. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

// Shared by the process, because bundlers create several copies of this module.
const guarded = Symbol.for("@authz/verify: guarded upgrade");

/** The service that the guard protects. */
interface Decider {
  readonly decide: (request: AuthzRequest, policy: Policy) => Decision | Promise<Decision>;
  readonly definePolicy: (policy?: Policy) => Policy;
}

/** Creates listeners that accept a connection only with valid authorization. */
export function createUpgradeGuard({
  decide,
  definePolicy,
}: Decider): (policy: Policy | undefined, accept: (upgrade: Upgrade) => void) => UpgradeListener {
  /** Returns the caller, or answers with the refusal. */
  async function admit(request: IncomingMessage, socket: Duplex, policy: Policy): Promise<Auth | undefined> {
    // Node leaves the socket to its listener, so without this a reset by the caller ends the process.
    socket.on("error", ignore);
    try {
      // Without `header`, a token for one approved call is refused: no guard spends it here.
      const { header: _, ...upgrade } = requestFromNode(request);
      const { auth, refusal } = await decide(upgrade, policy);
      if (refusal !== undefined) refuse(request, socket, (response) => sendNodeResponse(response, refusal));
      return auth;
    } catch (error) {
      refuse(request, socket, (response) => void response.writeHead(500).end());
      process.emitWarning(error instanceof Error ? error : String(error));
      return undefined;
    } finally {
      socket.off("error", ignore);
    }
  }

  return (policy, accept) => {
    const checkedPolicy = definePolicy(policy);
    const listener: UpgradeListener = (request, socket, head) => {
      void (async () => {
        const auth = await admit(request, socket, checkedPolicy);
        if (auth !== undefined && !socket.destroyed) accept({ request, socket, head, auth });
      })();
    };
    return Object.assign(listener, { [guarded]: true });
  };
}

function ignore(): void {}

function refuse(request: IncomingMessage, socket: Duplex, answer: (response: ServerResponse) => void): void {
  socket.on("error", ignore);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => void socket.end());
  answer(response);
}

/**
 * Creates a check of the server at its first request: an unguarded `upgrade` listener bypasses middleware and handlers, so that callers
 * without authorization could connect to a service whose every route is guarded.
 */
export function createUpgradeCheck(): (message: NodeRequest) => void {
  let isChecked = false;
  return (message) => {
    if (isChecked) return;
    isChecked = true;
    // A request without a connection, such as an AWS Lambda event, has no server.
    const { server } = Object(message.socket) as { server?: Partial<EventEmitter> };
    if (server?.listeners?.("upgrade").every((listener) => guarded in listener) !== false) return;
    process.emitWarning(
      "This server accepts upgrades, such as WebSockets, without authz.guardUpgrade(): no middleware sees them, so anybody can connect. Guard every listener of its upgrade event. Where that is meant, start Node with --disable-warning=AUTHZ_UPGRADE_UNGUARDED.",
      { type: "AuthzWarning", code: "AUTHZ_UPGRADE_UNGUARDED" },
    );
  };
}
