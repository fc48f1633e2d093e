import type { JsonObject } from "@authz/dpop/jws";
import type { Kind, RevocableToken, RevocationRequest } from "./kind.js";

/** Scopes with the narrower ones that they contain; GitHub's answers name only the widest. */
const contained: Readonly<Record<string, readonly string[]>> = {
  repo: ["repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events"],
  user: ["read:user", "user:email", "user:follow"],
  "admin:org": ["write:org", "read:org", "manage_runners:org"],
  "write:org": ["read:org"],
  "admin:repo_hook": ["write:repo_hook", "read:repo_hook"],
  "write:repo_hook": ["read:repo_hook"],
  "admin:public_key": ["write:public_key", "read:public_key"],
  "write:public_key": ["read:public_key"],
  "admin:gpg_key": ["write:gpg_key", "read:gpg_key"],
  "write:gpg_key": ["read:gpg_key"],
  "write:packages": ["read:packages"],
  "write:discussion": ["read:discussion"],
  project: ["read:project"],
};

/** Errors for a code or refresh token that is used, expired, or another client's. */
const deadGrants: ReadonlySet<unknown> = new Set(["bad_verification_code", "bad_refresh_token"]);

/** @see https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
export const github: Kind = {
  kind: "github",
  name: "GitHub",
  endpoints: {
    issuer: null,
    authorizationEndpoint: "https://github.com/login/oauth/authorize",
    tokenEndpoint: "https://github.com/login/oauth/access_token",
    revocationEndpoint: "https://api.github.com/applications",
    accountEndpoint: "https://api.github.com/user",
    tokenEndpointAuthMethod: "client_secret_post",
  },
  authorizationParameters: {},
  scopes: [
    { scope: "read:user", required: true, byDefault: true },
    { scope: "read:org", required: false, byDefault: true },
    { scope: "repo", required: false, byDefault: false },
    { scope: "notifications", required: false, byDefault: false },
  ],
  requestPrefixes: ["https://api.github.com"],
  requestHeaders: ["x-github-api-version"],
  pathTemplates: [
    "/user",
    "/user/repos",
    "/user/orgs",
    "/notifications",
    "/search/{what}",
    "/orgs/{org}/repos",
    "/repos/{owner}/{repo}",
    "/repos/{owner}/{repo}/issues",
    "/repos/{owner}/{repo}/issues/{number}",
    "/repos/{owner}/{repo}/issues/{number}/comments",
    "/repos/{owner}/{repo}/pulls",
    "/repos/{owner}/{repo}/pulls/{number}",
    "/repos/{owner}/{repo}/pulls/{number}/files",
    "/repos/{owner}/{repo}/commits",
    "/repos/{owner}/{repo}/commits/{ref}",
    "/repos/{owner}/{repo}/actions/runs",
    "/repos/{owner}/{repo}/actions/runs/{run}",
  ],
  registrationUrl: "https://github.com/settings/developers",
  removalUrl: "https://github.com/settings/applications",
  quirks: {
    readTokens,
    readAccount({ id, login }) {
      if (typeof id !== "number" || typeof login !== "string") return undefined;
      return { subject: String(id), label: login };
    },
    implies: (granted, scope) => [...granted].some((wider) => contained[wider]?.includes(scope) === true),
    revocation,
  },
};

/** Errors have status 200 and their own names; scopes are separated by commas. */
function readTokens(answer: JsonObject): JsonObject {
  const { error, scope } = answer;
  if (error !== undefined) {
    if (error === "incorrect_client_credentials") return { ...answer, error: "invalid_client" };
    return deadGrants.has(error) ? { ...answer, error: "invalid_grant" } : answer;
  }
  return typeof scope === "string" ? { ...answer, scope: scope.split(",").join(" ") } : answer;
}

/** Revokes the whole authorization, by one of its access tokens. */
function revocation(token: RevocableToken, endpoint: string): RevocationRequest | undefined {
  const { type, value, clientId, clientSecret } = token;
  if (type !== "access_token" || clientSecret === undefined) return undefined;
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return {
    url: `${endpoint.replace(/\/+$/, "")}/${encodeURIComponent(clientId)}/grant`,
    method: "DELETE",
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Basic ${credentials}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ access_token: value }),
    isConfirmed: (status) => status === 204,
  };
}
