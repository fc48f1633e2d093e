import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rawHeaderValues } from "../http/raw-headers.js";
import { protectedErrorAnswer } from "../oauth/error-answer.js";
import { OAuthError } from "../oauth/oauth-error.js";
import type { GroupDirectories } from "../groups/directories.js";
import { effectiveScopes, type Permissions } from "../policy/effective-scopes.js";
import { loadPermissions } from "../policy/load-permissions.js";
import { loginScope } from "../policy/system-scopes.js";
import { listVisibleSkills } from "../skills/visible-skills.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import type { ProtectedRequest } from "../tokens/authenticate-access-token.js";
import { explainOwn } from "./explain-own.js";
import { explanationDocument, resourceDocument, skillDocument, skillSummary } from "./documents.js";

export interface MeOptions {
  readonly store: Store;
  readonly directories: GroupDirectories;
  /** Verifies token, proof and log-in. @throws {OAuthError} */
  readonly authenticate: (
    request: ProtectedRequest,
  ) => Promise<{ readonly user: User; readonly clientId: string; readonly scopes: readonly string[] }>;
  /** Told of each skill whose instructions are read. */
  readonly onSkillRead: (skillId: string) => void;
}

/** More than a service has; each that is missing costs a look-up. */
const mostScopes = 50;

interface Caller {
  readonly user: User;
  readonly clientId: string;
  readonly permissions: Permissions;
}

/** Mounts what a person's client reads about that person: `/api/me` and below. */
export async function registerMe(app: FastifyInstance, options: MeOptions): Promise<void> {
  const { store, directories, authenticate, onSkillRead } = options;
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    const { user, clientId, scopes } = await authenticate({
      method: request.method,
      url: request.url,
      authorization: rawHeaderValues(request, "authorization"),
      dpop: rawHeaderValues(request, "dpop"),
    });
    if (!scopes.includes(loginScope)) throw loginNotConsented();
    const permissions = await loadPermissions(user, { store, directories });
    if (!effectiveScopes(permissions).has(loginScope)) throw loginNotAllowed();
    return { user, clientId, permissions };
  };

  await app.register(async (me) => {
    me.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof OAuthError)) throw error;
      return sendRefusal(reply, error);
    });

    me.get("/api/me", async (request) => {
      const { user, clientId } = await identify(request);
      const { installationName, instructions } = await store.settings.get();
      const { id, email, name } = user;
      const installation = { name: installationName, ...(instructions !== null && { instructions }) };
      return { subject: id, email, name, installation, client: { clientId } };
    });

    me.get("/api/me/resources", async (request) => {
      const { permissions } = await identify(request);
      const resources = await store.resources.listEnabled();
      return { items: resources.map((resource) => resourceDocument(resource, permissions)) };
    });

    me.get<{ Querystring: Record<string, unknown> }>("/api/me/explanation", async (request, reply) => {
      const { permissions } = await identify(request);
      const [resource, ...others] = textsOf(request.query.resource);
      const scopes = textsOf(request.query.scope);
      const isKey = resource !== undefined && !resource.includes("\0");
      if (!isKey || others.length > 0 || scopes.length > mostScopes) {
        const description = `Name one resource by its key, and at most ${String(mostScopes)} scopes.`;
        return reply.code(400).send({ error: "invalid_request", error_description: description });
      }
      const explanation = await explainOwn({ permissions, resource, scopes }, store);
      if (explanation !== undefined) return explanationDocument(explanation);
      const description = "There is no resource with this key among those you can see.";
      return reply.code(404).send({ error: "not_found", error_description: description });
    });

    me.get("/api/me/skills", async (request) => {
      const { permissions } = await identify(request);
      return { items: (await listVisibleSkills(store, permissions)).map(skillSummary) };
    });

    me.get<{ Params: { id: string } }>("/api/me/skills/:id", async (request, reply) => {
      const { permissions } = await identify(request);
      const skill = (await listVisibleSkills(store, permissions)).find(({ id }) => id === request.params.id);
      if (skill !== undefined) {
        onSkillRead(skill.id);
        return skillDocument(skill);
      }
      const description = "There is no skill with this id among those you can see.";
      return reply.code(404).send({ error: "not_found", error_description: description });
    });
  });
}

/** The values of a query parameter, which may be there any number of times. */
function textsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((text): text is string => typeof text === "string" && text !== "");
}

/** A client that only asked who somebody is reads nothing else about them. */
function loginNotConsented(): OAuthError {
  const message = `The access token does not have the scope ${loginScope}. Sign in again and ask for it.`;
  return new OAuthError("insufficient_scope", "login_not_consented", message);
}

function loginNotAllowed(): OAuthError {
  const message = `The permission ${loginScope} is missing. Ask an administrator for it.`;
  return new OAuthError("insufficient_scope", "login_not_allowed", message);
}

function sendRefusal(reply: FastifyReply, error: OAuthError): FastifyReply {
  const { status, headers, body } = protectedErrorAnswer(error, loginScope);
  return reply.code(status).headers(headers).send(body);
}
