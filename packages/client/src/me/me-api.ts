import type { ClientContext } from "../client-context.js";
import { AuthzClientError } from "../errors.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import {
  type JsonObject,
  readJsonObject,
  readUnavailability,
  unavailable,
} from "../transport/read-answer.js";
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
} from "./answers.js";
import { askServer, notAccepted } from "./ask-server.js";

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

  async resources(): Promise<readonly Resource[]> {
    const url = this.#url("/api/me/resources");
    const body = await this.#get(url);
    const resources = parseResources(body, url);
    const { subject } = await this.#keeper.load();
    // What a directory could not say just now must not be believed for minutes.
    if (resources.some(({ undecidedScopes }) => undecidedScopes.length > 0)) return resources;
    const expiresAt = this.#context.clock() + RESOURCES_FRESH_SECONDS * 1000;
    await this.#context.cache.write(cacheKey(this.#context.issuer, subject), body, expiresAt);
    return resources;
  }

  /** The services as they were at most five minutes ago, or undefined. */
  async keptResources(): Promise<readonly Resource[] | undefined> {
    const { subject } = await this.#keeper.load();
    const kept = await this.#context.cache.read(cacheKey(this.#context.issuer, subject));
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
    const body = await this.#get(url, () => noSuchSkill(id));
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

  async #get(url: string, notFound: () => AuthzClientError = () => missing(url)): Promise<JsonObject> {
    const answer = await askServer(this.#context, this.#keeper, {
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

function cacheKey(issuer: string, subject: string): string {
  return `resources ${issuer} ${subject}`;
}

function noSuchSkill(id: string): AuthzClientError {
  return new AuthzClientError("not_found", {
    what: `There is no skill "${id}".`,
    why: "Nobody published it, or it is hidden because you lack its permissions.",
    hint: "See which skills there are",
    next: { do: "list_skills" },
  });
}

function missing(url: string): AuthzClientError {
  return new AuthzClientError("not_found", {
    what: `${url} does not exist.`,
    why: "The server is older than this client, or the address belongs to another server.",
    hint: "Check the address of the authorization server.",
  });
}
