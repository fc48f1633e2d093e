import type { AgentCalls } from "@authz/agent-tools";
import { createServer } from "@authz/agent-tools/server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { serverVersion } from "../../platform/http/server-version.js";

/** How one message is served. */
interface ServedMessage {
  readonly calls: AgentCalls;
  /** Describes a failure for a model. */
  readonly describe: (error: unknown) => string;
}

/** The protocol: every revision that the library supports, with no state between requests. */
export interface McpHandler {
  /** Answers one message. The request has its headers and is aborted when its caller goes; its body has been read. */
  readonly serve: (request: Request, message: object | undefined, served: ServedMessage) => Promise<Response>;
  /** Ends what is still being answered. */
  readonly close: () => Promise<void>;
}

/** Subscription streams of this process. This server sends no notifications, but a host may subscribe. */
const mostSubscriptions = 500;

/**
 * Creates the handler. Each message gets its own server with the rights of its caller, so that nothing leaks between messages, and any
 * process can answer any message.
 */
export function createHandler(onError: (error: Error) => void): McpHandler {
  const messages = new WeakMap<Request, ServedMessage>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const served = requestInfo && messages.get(requestInfo);
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
      messages.set(request, served);
      return await handler.fetch(request, message === undefined ? {} : { parsedBody: message });
    },
    close: handler.close,
  };
}
