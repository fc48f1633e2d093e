import type { FastifyInstance } from "fastify";
import { mountFormEndpoint } from "../oauth/endpoints/client-endpoints.js";
import { paths } from "../protocol/vocabulary.js";
import { answerTransaction, type TransactionEndpointContext } from "./endpoint.js";

/** Mounts the transaction authorization endpoint among those that clients post forms to. */
export function registerTransactionEndpoint(app: FastifyInstance, context: TransactionEndpointContext): void {
  mountFormEndpoint(app, paths.transaction, async (request) => ({
    body: await answerTransaction(request, context),
  }));
}
