import type { Readable } from "node:stream";
import {
  type AgentAnswer,
  type AgentCalls,
  type AgentRequest,
  type Problem,
  problemOf,
  toolHint,
} from "@authz/agent-tools";
import type { RefusalRecord } from "../../audit/refusals.js";
import type { ForwardThroughConnection } from "../../connectors/use/forward-request.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { grantedScopes } from "../../permissions/decide.js";
import type { Store } from "../../store/store.js";
import { findResourceAt } from "../find.js";
import type { CallService } from "../service-calls/call-service.js";
import { howToConnect, requireAddress } from "./describe-refusal.js";

/** One message: who sent it, and what its effects are recorded with. */
export interface MessageContext {
  readonly caller: Caller;
  readonly requestId: string;
  readonly refusals: RefusalRecord;
}

export interface RequestToolOptions {
  readonly store: Pick<Store, "resources">;
  readonly issuer: string;
  readonly now: () => Date;
  readonly forward: ForwardThroughConnection;
  readonly callService: CallService;
}

/**
 * Sends what an agent asks for, to a service or through a connection. What the answer means is decided by its status and headers; its
 * body streams.
 */
export function createRequestTool(
  { caller, requestId, refusals }: MessageContext,
  { store, issuer, now, forward, callService }: RequestToolOptions,
): AgentCalls["request"] {
  return async (request, signal) => {
    const { url, connection, scopes } = request;
    const address = requireAddress(URL.canParse(url) ? new URL(url) : undefined);
    const common = { caller, requestId, refusals, signal, ...partsOf(request) };
    const handed =
      connection === undefined
        ? await callService({ ...common, url, scopes })
        : await forward({ ...common, connectorKey: connection, target: [url] });
    const loadPermissions = async () => {
      const resource = await findResourceAt(address, store);
      if (resource === undefined) return undefined;
      const held = grantedScopes(caller.permissions, resource);
      const used = scopes === undefined || scopes.length === 0 ? held : scopes;
      return { used, held, known: resource.supportedScopes };
    };
    const { status, headers, challenges, body, leftOut, requestPrefixes } = handed;
    try {
      const problem = problemOf(
        { status, headers: { ...headers, "www-authenticate": challenges } },
        {
          url: address.href,
          method: common.method,
          connection,
          permissions: connection === undefined && status === 403 ? await loadPermissions() : undefined,
          now: now().getTime(),
        },
      );
      return {
        status,
        headers: {
          "content-type": headers["content-type"]?.[0],
          location: headers["location"]?.[0],
          link: headers["link"]?.join(", "),
        },
        leftOut,
        problem: problem && describeProblem(problem, issuer),
        requestPrefixes: async () => await Promise.resolve(requestPrefixes),
        read: async (take) => {
          if (body !== null) await readBody(body, take);
        },
      } satisfies AgentAnswer;
    } catch (error) {
      body?.destroy();
      throw error;
    }
  };
}

/** Reads by events: an iterator costs a small answer several times as much. @throws What broke the body. */
function readBody(body: Readable, take: (piece: Uint8Array) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(body.errored ?? new Error("The rest of the answer does not come."));
    body.once("end", resolve).once("error", broken).once("close", broken);
    body.on("data", (piece: Buffer) => {
      if (take(piece)) return;
      resolve();
      body.destroy();
    });
    // It may have broken before the listeners were added.
    if (body.destroyed) broken();
  });
}

/** A problem for a model, with the tools that it can call next. */
function describeProblem(problem: Problem, issuer: string): object {
  const { code, what, why, quote } = problem;
  return {
    code,
    message: why === undefined ? what : `${what} ${why}`,
    quote,
    hint: toolHint(problem, ({ connection }) => howToConnect(connection, issuer)),
  };
}

function partsOf({ method = "GET", headers, body }: AgentRequest) {
  const bytes = body === undefined ? undefined : Buffer.from(body, "utf8");
  return { method: method.toUpperCase(), headers, body: bytes };
}
