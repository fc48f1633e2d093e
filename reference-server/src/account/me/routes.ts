import type { Clock } from "@authz/dpop";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { protectedRequestOf } from "../../platform/http/protected-request.js";
import { protectedErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { loginScope } from "../../store/system-scopes.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { RateLimiter } from "../../platform/rate-limits/rate-limiter.js";
import {
  findGap,
  findVisibleFile,
  findVisibleSkill,
  listVisibleSkills,
  refuseUndecided,
} from "../../skills/visible-skills.js";
import type { Store } from "../../store/store.js";
import { requestMembers } from "./access-requests/request-members.js";
import { explainOwn } from "./explain-own.js";
import {
  explanationDocument,
  gapDocument,
  installationDocument,
  resourceDocument,
  skillDocument,
  skillsDocument,
} from "./documents.js";
import type { IdentifyCaller } from "../../oauth/tokens/identify-caller.js";

export interface MeOptions {
  readonly store: Store;
  readonly identify: IdentifyCaller;
  readonly rateLimiter: Pick<RateLimiter, "take">;
  readonly clock: Clock;
  /** Told of each skill whose instructions are read. */
  readonly onSkillRead: (skillId: string) => void;
}

/** More than a service has; each that is missing costs a look-up. */
const mostScopes = 50;

/** Mounts what a person's client reads about that person: `/api/me` and below. */
export async function registerMe(app: FastifyInstance, options: MeOptions): Promise<void> {
  const { store, identify: identifyCaller, rateLimiter, clock, onSkillRead } = options;
  const identify = (request: FastifyRequest) => identifyCaller(protectedRequestOf(request));

  /** The same for a skill that is hidden and one that is not there, and for their files. */
  const sendMissing = async (reply: FastifyReply, id: string, permissions: Permissions) => {
    await refuseUndecided(id, permissions, store);
    const gap = await findGap(id, store, new Date(clock()));
    const description = "There is no skill with this id among those you can see, or no such file in it.";
    const body = { error: "not_found", error_description: description };
    return reply.code(404).send({ ...body, ...(gap && { incomplete: [gapDocument(gap)] }) });
  };

  await app.register(async (me) => {
    me.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof OAuthError)) throw error;
      return sendRefusal(reply, error);
    });

    me.get("/api/me", async (request) => {
      const { user, clientId } = await identify(request);
      const { id, email, name } = user;
      const installation = installationDocument(await store.settings.get());
      return { subject: id, email, name, installation, client: { clientId } };
    });

    me.get("/api/me/resources", async (request) => {
      const { permissions } = await identify(request);
      // Agents call this server itself at an address of its own; a client has this API.
      const resources = (await store.resources.listEnabled()).filter(({ builtIn }) => !builtIn);
      return { items: resources.map((resource) => resourceDocument(resource, permissions)) };
    });

    me.get<{ Querystring: Record<string, unknown> }>("/api/me/explanation", async (request, reply) => {
      const caller = await identify(request);
      const { permissions } = caller;
      const [resource, ...others] = textsOf(request.query.resource);
      const scopes = textsOf(request.query.scope);
      const isKey = resource !== undefined && !resource.includes("\0");
      if (!isKey || others.length > 0 || scopes.length > mostScopes) {
        const description = `Name one resource by its key, and at most ${String(mostScopes)} scopes.`;
        return reply.code(400).send({ error: "invalid_request", error_description: description });
      }
      const explanation = await explainOwn({ permissions, resource, scopes }, store);
      if (explanation !== undefined) {
        const { decision } = explanation;
        const target = { kind: "service", target: explanation.resource.key } as const;
        const members = await requestMembers({ caller, target, decision }, store);
        return { ...explanationDocument(explanation), ...members };
      }
      const description = "There is no service with this key among those you can see.";
      return reply.code(404).send({ error: "not_found", error_description: description });
    });

    me.get("/api/me/skills", async (request) => {
      const { user, permissions } = await identify(request);
      await rateLimiter.take("skills.person", user.id);
      const settings = await store.settings.get();
      const visible = await listVisibleSkills(store, permissions, new Date(clock()));
      return skillsDocument(visible, settings);
    });

    me.get<{ Params: { id: string } }>("/api/me/skills/:id", async (request, reply) => {
      const { user, permissions } = await identify(request);
      await rateLimiter.take("skills.person", user.id);
      const skill = await findVisibleSkill(request.params.id, store, permissions);
      if (skill !== undefined) {
        onSkillRead(skill.id);
        return skillDocument(skill);
      }
      return await sendMissing(reply, request.params.id, permissions);
    });

    me.get<{ Params: { id: string; "*": string } }>("/api/me/skills/:id/files/*", async (request, reply) => {
      const { user, permissions } = await identify(request);
      await rateLimiter.take("skills.person", user.id);
      const { id, "*": path } = request.params;
      const file = await findVisibleFile({ id, path }, store, permissions);
      if (file === undefined) return await sendMissing(reply, id, permissions);
      // A browser that gets here must not make a page of what a service wrote.
      return reply
        .header("content-type", "application/octet-stream")
        .header("x-content-type-options", "nosniff")
        .header("content-disposition", "attachment")
        .send(file.bytes);
    });
  });
}

/** The values of a query parameter, which may be there any number of times. */
function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((text): text is string => typeof text === "string" && text !== "");
}

/** Refuses what a client asks here and in the folders below. */
export function sendRefusal(reply: FastifyReply, error: OAuthError): FastifyReply {
  const { status, headers, body } = protectedErrorAnswer(error, loginScope);
  return reply.code(status).headers(headers).send(body);
}
