import type { AgentAnswer, AgentCalls, AgentRequest } from "@authz/agent-tools";
import { grantedScopes } from "../permissions/decide.js";
import type { ForwardThroughConnection } from "../connectors/use/connection-use.js";
import type { Store } from "../store/store.js";
import { AgentRefusal } from "./agent-refusal.js";
import { problemOf } from "./answer-problem.js";
import { readAnswerBody, type TakeLarge } from "./read-answer.js";
import { resourceAt } from "../permissions/resource-at.js";
import type { MessageContext } from "./routes.js";
import type { CallService } from "./service-calls.js";

export interface ForwardOptions {
  readonly store: Pick<Store, "resources">;
  /** Sends a request through a connection. @throws {UseRefusal} */
  readonly forward: ForwardThroughConnection;
  /** Sends a request to a service. @throws {UseRefusal} */
  readonly callService: CallService;
  readonly takeLarge: TakeLarge;
}

/** Sends what an agent asks for, to a service or through a connection, and reads the answer. */
export function createRequestCall(
  { caller, requestId, refusals, ahead }: MessageContext,
  { store, forward, callService, takeLarge }: ForwardOptions,
): AgentCalls["request"] {
  return async (request, signal) => {
    const { url, connection, scopes } = request;
    const address = readAddress(url);
    const common = { caller, requestId, refusals, signal, ...partsOf(request) };
    const handed =
      connection === undefined
        ? await callService({ ...common, url, scopes, ahead: ahead?.service })
        : await forward({ ...common, connectorKey: connection, target: [url], ahead: ahead?.connection });
    const contentType = handed.headers["content-type"]?.[0];
    const body = await readAnswerBody(handed.body, contentType, () => takeLarge(caller.user.id));
    const held = async () => {
      const resource = resourceAt(address, await store.resources.listEnabled());
      return resource === undefined ? [] : grantedScopes(caller.permissions, resource);
    };
    const problem = problemOf({
      status: handed.status,
      headers: handed.headers,
      challenges: handed.challenges,
      host: address.host,
      held: connection !== undefined ? undefined : handed.status === 403 ? await held() : [],
    });
    return { status: handed.status, problem, ...body } satisfies AgentAnswer;
  };
}

function partsOf({ method = "GET", headers, body }: AgentRequest) {
  const bytes = body === undefined ? undefined : Buffer.from(body, "utf8");
  return { method: method.toUpperCase(), headers, body: bytes };
}

/** @throws {AgentRefusal} */
function readAddress(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new AgentRefusal("invalid_request", "The url must be an absolute address.");
}
