import type { Readable } from "node:stream";
import {
  type AgentAnswer,
  type AgentCalls,
  type AgentRequest,
  type Problem,
  problemOf,
  toolHint,
} from "@authz/agent-tools";
import { grantedScopes } from "../permissions/decide.js";
import type { ForwardThroughConnection } from "../connectors/use/connection-use.js";
import type { Store } from "../store/store.js";
import { AgentRefusal } from "./agent-refusal.js";
import { howToConnect } from "./describe-refusal.js";
import { resourceAt } from "../permissions/resource-at.js";
import type { MessageContext } from "./routes.js";
import type { CallService } from "./service-calls.js";

export interface ForwardOptions {
  readonly store: Pick<Store, "resources">;
  readonly issuer: string;
  readonly now: () => Date;
  /** Sends a request through a connection. @throws {UseRefusal} */
  readonly forward: ForwardThroughConnection;
  /** Sends a request to a service. @throws {UseRefusal} */
  readonly callService: CallService;
}

/**
 * Sends what an agent asks for, to a service or through a connection. What the answer means is decided by its head; its body is handed on
 * as it comes.
 */
export function createRequestCall(
  { caller, requestId, refusals, ahead }: MessageContext,
  { store, issuer, now, forward, callService }: ForwardOptions,
): AgentCalls["request"] {
  return async (request, signal) => {
    const { url, connection, scopes } = request;
    const address = readAddress(url);
    const common = { caller, requestId, refusals, signal, ...partsOf(request) };
    const handed =
      connection === undefined
        ? await callService({ ...common, url, scopes, ahead: ahead?.service })
        : await forward({ ...common, connectorKey: connection, target: [url], ahead: ahead?.connection });
    const loadPermissions = async () => {
      const resource = resourceAt(address, await store.resources.listEnabled());
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

/** By its events: an iterator would cost a small answer several times what reading it does. @throws What broke the body. */
function readBody(body: Readable, take: (piece: Uint8Array) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(body.errored ?? new Error("The rest of the answer does not come."));
    body.once("end", resolve).once("error", broken).once("close", broken);
    body.on("data", (piece: Buffer) => {
      if (take(piece)) return;
      resolve();
      body.destroy();
    });
    // It may have broken before these listeners were there.
    if (body.destroyed) broken();
  });
}

/** A problem for a model, with the tools that it can call next. */
function describeProblem(problem: Problem, issuer: string): object {
  const { code, what, why, said } = problem;
  return {
    code,
    message: why === undefined ? what : `${what} ${why}`,
    said,
    hint: toolHint(problem, ({ connection }) => howToConnect(connection, issuer)),
  };
}

function partsOf({ method = "GET", headers, body }: AgentRequest) {
  const bytes = body === undefined ? undefined : Buffer.from(body, "utf8");
  return { method: method.toUpperCase(), headers, body: bytes };
}

/** @throws {AgentRefusal} */
function readAddress(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new AgentRefusal(
    "invalid_request",
    "The url must be an absolute address, such as https://host/path.",
  );
}
