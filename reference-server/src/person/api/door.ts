import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Caller, IdentifyCaller } from "../../oauth/tokens/identify-caller.js";
import { protectedRequestOf } from "../../platform/http/protected-request.js";
import type { RateLimitName } from "../../platform/rate-limits/limits.js";
import type { RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import { protectedErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { loginScope } from "../../store/system-scopes.js";
import { AskError, type AskProblem } from "../access-requests/ask.js";
import { gapDocument, SkillMissing } from "../skills.js";

/** The API refuses a request of a person's client. `details` follow the sentence in the answer. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;
  readonly code: string;
  readonly details: object;
  constructor(status: number, code: string, message: string, details: object = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

export interface DoorOptions {
  readonly identify: IdentifyCaller;
  readonly rateLimiter: Pick<RateLimiter, "take">;
}

/** What a route asks of the door. */
interface RouteRules<Body> {
  /** Counts against this limit of the person, before anything else of the request is looked at. */
  readonly limit?: RateLimitName;
  /** What the body must be, and what a caller with another one is told. */
  readonly body?: { readonly schema: z.ZodType<Body>; readonly otherwise: string };
  /** What a caller is told when the handler finds nothing. */
  readonly missing?: string;
}

/** One request, after the door. */
export interface ApiCall<Params = unknown, Body = unknown> {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: Params;
  readonly body: Body;
}

export type Door = ReturnType<typeof createDoor>;

/**
 * The door of `/api/me`: its handlers get an identified caller within the limits, with the body that the route wants, and return a
 * document, or `undefined` for 404. Everything that they throw is put into an answer here.
 */
export function createDoor(app: FastifyInstance, { identify, rateLimiter }: DoorOptions) {
  app.setErrorHandler<FastifyError>((error, _request, reply) => {
    if (error instanceof OAuthError) {
      const { status, headers, body } = protectedErrorAnswer(error, loginScope);
      return reply.code(status).headers(headers).send(body);
    }
    const { status, code, message, details } = asApiRefusal(error);
    return reply.code(status).send({ error: code, error_description: message, ...details });
  });

  return <Params = unknown, Body = unknown>(
    rules: RouteRules<Body>,
    handle: (call: ApiCall<Params, Body>) => Promise<unknown>,
  ) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const caller = await identify(protectedRequestOf(request));
      if (rules.limit !== undefined) await rateLimiter.take(rules.limit, caller.user.id);
      const body = readBody(request.body, rules);
      const found = await handle({ caller, request, reply, params: request.params as Params, body });
      if (found === undefined) throw new ApiRefusal(404, "not_found", rules.missing ?? "");
      return found;
    };
}

function readBody<Body>(sent: unknown, { body }: RouteRules<Body>): Body {
  if (body === undefined) return sent as Body;
  const { success, data } = body.schema.safeParse(sent);
  if (success) return data;
  throw new ApiRefusal(400, "invalid_request", body.otherwise);
}

const askStatuses: Readonly<Record<AskProblem, number>> = {
  unknown_target: 404,
  unknown_scope: 400,
  invalid_reason: 400,
  nothing_missing: 409,
  cannot_be_given: 409,
  too_many_requests: 409,
};

/** @throws What is no refusal of this API. */
function asApiRefusal(error: Error): ApiRefusal {
  if (error instanceof ApiRefusal) return error;
  if (error instanceof AskError) {
    const { code, message, scopes } = error;
    return new ApiRefusal(askStatuses[code], code, message, scopes.length > 0 ? { scopes } : {});
  }
  if (error instanceof SkillMissing) {
    const message = "There is no skill with this id among those you can see, or no such file in it.";
    const details = error.gap && { incomplete: [gapDocument(error.gap)] };
    return new ApiRefusal(404, "not_found", message, details);
  }
  throw error;
}
