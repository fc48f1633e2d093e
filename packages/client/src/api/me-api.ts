import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import type { Session } from "../session/session.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import { type JsonObject, readJsonObject, readUnavailability, unavailable } from "../transport/read-json.js";
import { askServer, notAccepted } from "./ask-server.js";
import {
  type Me,
  type PermissionExplanation,
  parseExplanation,
  parseMe,
  parseResources,
  parseSkill,
  parseSkillSummaries,
  type Resource,
  type Skill,
  type SkillSummary,
} from "./me-answers.js";

const RESOURCES_FRESH_SECONDS = 300;

/** The authorization server's API for the person who is signed in. */
export class MeApi {
  readonly #context: ClientContext;
  readonly #keeper: SessionKeeper;

  constructor(context: ClientContext, keeper: SessionKeeper) {
    this.#context = context;
    this.#keeper = keeper;
  }

  async me(): Promise<Me> {
    const url = this.#url("/api/me");
    return parseMe(await this.#get(url), url);
  }

  async resources(loaded?: Session): Promise<readonly Resource[]> {
    const url = this.#url("/api/me/resources");
    const session = loaded ?? (await this.#keeper.load());
    const body = await this.#get(url, { session });
    const resources = parseResources(body, url);
    // What a directory could not say just now must not be believed for minutes.
    if (resources.some(({ undecidedScopes }) => undecidedScopes.length > 0)) return resources;
    const expiresAt = this.#context.clock() + RESOURCES_FRESH_SECONDS * 1000;
    await this.#context.cache.write(cacheKey(session), body, expiresAt);
    return resources;
  }

  /** The services as they were at most five minutes ago, or undefined. */
  async keptResources(session: Session): Promise<readonly Resource[] | undefined> {
    const kept = await this.#context.cache.read(cacheKey(session));
    return kept === undefined
      ? undefined
      : parseResources(Object(kept) as JsonObject, this.#url("/api/me/resources"));
  }

  async skills(): Promise<readonly SkillSummary[]> {
    const url = this.#url("/api/me/skills");
    return parseSkillSummaries(await this.#get(url), url);
  }

  async skill(id: string): Promise<Skill> {
    const url = this.#url(`/api/me/skills/${encodeURIComponent(id)}`);
    const body = await this.#get(url, { notFound: () => noSuchSkill(id) });
    return parseSkill(body, url);
  }

  async explain(resource: string, scopes: readonly string[]): Promise<PermissionExplanation> {
    const query = new URLSearchParams({ resource });
    for (const scope of scopes) query.append("scope", scope);
    const url = this.#url(`/api/me/explanation?${query.toString()}`);
    return parseExplanation(await this.#get(url), url);
  }

  #url(path: string): string {
    return `${this.#context.issuer}${path}`;
  }

  async #get(
    url: string,
    { session, notFound = () => missing(url) }: { session?: Session; notFound?: () => AuthzClientError } = {},
  ): Promise<JsonObject> {
    const answer = await askServer(this.#context, this.#keeper, {
      session,
      request: { method: "GET", url, headers: { accept: "application/json" } },
    });
    if (answer.status === 200) return await readJsonObject(answer, url);
    if (answer.status >= 500 || answer.status === 429)
      throw unavailable(url, answer.status, await readUnavailability(answer, url));
    answer.discard();
    if (answer.status === 404) throw notFound();
    throw notAccepted(url, answer, this.#context.clock);
  }
}

function cacheKey({ issuer, subject }: Session): string {
  return `resources ${issuer} ${subject}`;
}

function noSuchSkill(id: string): AuthzClientError {
  return new AuthzClientError("skill_not_found", {
    what: `There is no skill "${id}".`,
    why: "Nobody published it, or it is hidden because you lack its permissions.",
  });
}

function missing(url: string): AuthzClientError {
  return new AuthzClientError("address_not_found", {
    what: `${url} does not exist.`,
    why: "The server is older than this client, or the address belongs to another server.",
  });
}
