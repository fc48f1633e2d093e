import type { AgentCalls } from "@authz/agent-tools";
import { createServer } from "@authz/agent-tools/server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serverVersion } from "../platform/http/server-version.js";

/** What one message may do, for whom. */
interface ServedMessage {
  readonly calls: AgentCalls;
  /** What a model reads about a failure. */
  readonly describe: (error: unknown) => string;
}

/** The protocol: every revision that the library speaks, without anything that outlives a request. */
export interface McpHandler {
  /** Answers one message. The request has its headers and ends when its caller goes; its body has been read. */
  readonly serve: (request: Request, message: object | undefined, served: ServedMessage) => Promise<Response>;
  /** Ends what is still being answered. */
  readonly close: () => Promise<void>;
}

/** Streams of this process that wait for news. There is none here, but a host may ask for it. */
const mostSubscriptions = 500;

/**
 * Creates the handler. A message gets a server of its own with the rights of its caller, so that nothing can get from one to
 * another, and any process can answer any message.
 */
export function createHandler(onError: (error: Error) => void): McpHandler {
  const beingServed = new WeakMap<Request, ServedMessage>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const served = requestInfo && beingServed.get(requestInfo);
      if (served === undefined) throw new Error("A message without a caller.");
      return createServer({
        version: serverVersion,
        open: async () => await Promise.resolve(served.calls),
        describe: served.describe,
      });
    },
    { onerror: onError, maxSubscriptions: mostSubscriptions },
  );
  return {
    async serve(request, message, served) {
      beingServed.set(request, served);
      return await handler.fetch(request, message === undefined ? {} : { parsedBody: message });
    },
    close: handler.close,
  };
}
