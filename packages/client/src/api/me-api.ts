import { type AccessRequest, parseAccessRequest } from "./access-request.js";
import { createHash } from "node:crypto";
import { AuthzClientError } from "../errors.js";
import type { ClientContext } from "../session/client-context.js";
import type { Session } from "../session/session.js";
import type { SessionKeeper } from "../session/session-keeper.js";
import { JsonFields } from "../transport/json-fields.js";
import type { JsonObject } from "@authz/dpop/jws";
import {
  invalidAnswer,
  readBytes,
  readJsonObject,
  readUnavailability,
  unavailable,
} from "../transport/read-json.js";
import type { TransportAnswer } from "../transport/transport.js";
import { askServer, notAccepted } from "./ask-server.js";
import {
  noSuchFile,
  noSuchSkill,
  parseSkill,
  parseSkillList,
  type Skill,
  type SkillList,
} from "./skills-answer.js";

/** Who is signed in, as the authorization server sees it. */
export interface Me {
  subject: string;
  email: string | undefined;
  name: string | undefined;
  installation: { name: string };
}

/** A registered service that the signed-in person may use. */
export interface Resource {
  key: string;
  name: string;
  /** The resource identifier (RFC 8707). */
  resource: string;
  /** The issuer of the service's access tokens. */
  authorizationServer: string;
  clientId: string;
  /** Absolute addresses; credentials go nowhere else. */
  requestPrefixes: readonly string[];
  supportedScopes: readonly string[];
  grantedScopes: readonly string[];
  /** Supported ones that are undecided: a group may give them, but its directory does not answer. */
  undecidedScopes: readonly string[];
}

/** A rule that gives a permission, or would give it, to the person's address or to a provider's group. */
export type PermissionRule = {
  /** When it ends, as ISO 8601; absent if it never does. */
  readonly until?: string | undefined;
} & (
  | { readonly type: "email"; readonly email: string }
  | { readonly type: "group"; readonly group: string; readonly provider: string }
);

/** A rule of a service that holds calls back; the first that matches a call decides. */
export interface CallRule {
  /** Its number, from 1. */
  readonly rule: number;
  /** `ask`, `refuse` or `limit`. */
  readonly outcome: string;
  /** Methods and path; absent: every call that no rule before it decides about. */
  readonly calls: string | undefined;
  readonly condition: string | undefined;
  /** The administrator's words. */
  readonly sentence: string | undefined;
}

/** Why the signed-in person may or may not do something at a service. */
export interface PermissionExplanation {
  allowed: boolean;
  granted: readonly { scope: string; by: readonly PermissionRule[] }[];
  missing: readonly {
    scope: string;
    /** `not_assigned`, `not_supported`, `directory_unavailable`, … */
    reason: string;
    wouldBeGrantedBy: readonly PermissionRule[];
  }[];
  /** Some of those who can give what is missing. */
  administrators: {
    people: readonly { email: string; name: string | undefined }[];
    groups: readonly { group: string; provider: string }[];
  };
  /** Whether the person can ask administrators for any of what is missing. */
  requestable?: boolean | undefined;
  /** The person's pending request there, or the one decided last. */
  request?: AccessRequest | undefined;
  /** Rules that decide about each call, permissions or not. */
  rules?: readonly CallRule[] | undefined;
}

const resourcesFreshSeconds = 300;

/** What is special about a question. */
interface Question {
  session?: Session;
  notFound?: (answered: JsonObject) => AuthzClientError;
}

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
    const expiresAt = this.#context.clock() + resourcesFreshSeconds * 1000;
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

  async skillList(): Promise<SkillList> {
    const url = this.#url("/api/me/skills");
    return parseSkillList(await this.#get(url), url);
  }

  async skill(id: string): Promise<Skill> {
    const url = this.#url(`/api/me/skills/${encodeURIComponent(id)}`);
    const body = await this.#get(url, { notFound: (answered) => noSuchSkill(id, answered, url) });
    return parseSkill(body, url);
  }

  async skillFile({ id, files }: Pick<Skill, "id" | "files">, path: string): Promise<Uint8Array> {
    const entry = files.find((file) => file.path === path);
    if (entry === undefined) throw noSuchFile(id, path);
    const { size, digest } = entry;
    const place = path.split("/").map(encodeURIComponent).join("/");
    const url = this.#url(`/api/me/skills/${encodeURIComponent(id)}/files/${place}`);
    const answer = await this.#ask(url, {
      accept: "application/octet-stream",
      notFound: () => noSuchFile(id, path),
    });
    const bytes = await readBytes(answer, url, size);
    const found = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    if (found !== digest) throw invalidAnswer(url, "It is not the file that the skill names.");
    return bytes;
  }

  async explain(resource: string, scopes: readonly string[]): Promise<PermissionExplanation> {
    const query = new URLSearchParams({ resource });
    for (const scope of scopes) query.append("scope", scope);
    const url = this.#url(`/api/me/explanation?${query.toString()}`);
    return parseExplanation(await this.#get(url), url);
  }

  /** @throws {AuthzClientError} `refused`: nothing is missing, nothing can be given, or too much is pending */
  async askForAccess(
    wish: ({ resource: string } | { connector: string }) & { scopes: readonly string[]; reason: string },
  ): Promise<AccessRequest> {
    const url = this.#url("/api/me/access-requests");
    const answer = await askServer(this.#context, this.#keeper, {
      request: {
        method: "POST",
        url,
        headers: { accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify(wish),
      },
    });
    if (answer.status === 201)
      return parseAccessRequest(new JsonFields(await readJsonObject(answer, url), url));
    if (answer.status >= 500 || answer.status === 429)
      throw unavailable(url, answer.status, await readUnavailability(answer, url));
    if (answer.status !== 400 && answer.status !== 404 && answer.status !== 409) {
      answer.discard();
      throw notAccepted(url, answer, this.#context.clock);
    }
    const fields = new JsonFields(await readJsonObject(answer, url), url);
    throw new AuthzClientError("access_request_refused", {
      what: "Nothing was asked for.",
      why: fields.optionalString("error_description"),
    });
  }

  #url(path: string): string {
    return `${this.#context.issuer}${path}`;
  }

  async #get(url: string, question: Question = {}): Promise<JsonObject> {
    return await readJsonObject(await this.#ask(url, question), url);
  }

  /** An answer with status 200. */
  async #ask(
    url: string,
    { session, notFound, accept = "application/json" }: Question & { accept?: string },
  ): Promise<TransportAnswer> {
    const answer = await askServer(this.#context, this.#keeper, {
      session,
      request: { method: "GET", url, headers: { accept } },
    });
    if (answer.status === 200) return answer;
    if (answer.status >= 500 || answer.status === 429)
      throw unavailable(url, answer.status, await readUnavailability(answer, url));
    if (answer.status === 404 && notFound !== undefined) throw notFound(await readJsonObject(answer, url));
    answer.discard();
    if (answer.status === 404) throw noSuchAddress(url);
    throw notAccepted(url, answer, this.#context.clock);
  }
}

function cacheKey({ issuer, subject }: Session): string {
  return `resources ${issuer} ${subject}`;
}

function noSuchAddress(url: string): AuthzClientError {
  return new AuthzClientError("address_not_found", {
    what: `${url} does not exist.`,
    why: "The server is older than this client, or the address belongs to another server.",
  });
}

function parseMe(body: JsonObject, from: string): Me {
  const fields = new JsonFields(body, from);
  return {
    subject: fields.string("subject"),
    email: fields.optionalString("email"),
    name: fields.optionalString("name"),
    installation: { name: fields.object("installation").string("name") },
  };
}

function parseResources(body: JsonObject, from: string): readonly Resource[] {
  return new JsonFields(body, from).objects("items").map((fields) => ({
    key: fields.key("key"),
    name: fields.string("name"),
    resource: fields.string("resource"),
    authorizationServer: fields.endpoint("authorizationServer"),
    clientId: fields.string("clientId"),
    requestPrefixes: fields.strings("requestPrefixes"),
    supportedScopes: fields.scopes("supportedScopes"),
    grantedScopes: fields.scopes("grantedScopes"),
    undecidedScopes: fields.optionalScopes("undecidedScopes"),
  }));
}

function parseExplanation(body: JsonObject, from: string): PermissionExplanation {
  const fields = new JsonFields(body, from);
  const administrators = fields.object("administrators");
  const request = fields.optionalObject("request");
  return {
    allowed: fields.boolean("allowed"),
    granted: fields.objects("granted").map((granted) => ({
      scope: granted.scope("scope"),
      by: granted.objects("by").map(permissionRule),
    })),
    missing: fields.objects("missing").map((missing) => ({
      scope: missing.scope("scope"),
      reason: missing.string("reason"),
      wouldBeGrantedBy: missing.objects("wouldBeGrantedBy").map(permissionRule),
    })),
    administrators: {
      people: administrators
        .objects("people")
        .map((person) => ({ email: person.string("email"), name: person.optionalString("name") })),
      groups: administrators.objects("groups").map(namedGroup),
    },
    // A server from before requests says neither.
    requestable: body["requestable"] === true,
    request: request && parseAccessRequest(request),
    // A service without rules has no such member.
    rules: body["rules"] === undefined ? [] : fields.objects("rules").map(callRule),
  };
}

function callRule(fields: JsonFields): CallRule {
  return {
    rule: fields.position("rule"),
    outcome: fields.string("outcome"),
    calls: fields.optionalString("calls"),
    condition: fields.optionalString("condition"),
    sentence: fields.optionalString("sentence"),
  };
}

function permissionRule(fields: JsonFields): PermissionRule {
  const until = fields.optionalString("until");
  const ends = until !== undefined && { until };
  return fields.oneOf("type", ["email", "group"]) === "email"
    ? { type: "email", email: fields.string("email"), ...ends }
    : { type: "group", ...namedGroup(fields), ...ends };
}

function namedGroup(fields: JsonFields): { group: string; provider: string } {
  return { group: fields.string("group"), provider: fields.string("provider") };
}
