import type { Clock, ReplayStore } from "@authz/dpop";
import {
  checkAudience,
  checkIssuer,
  checkLifetime,
  checkSignature,
  JwtError,
  type JwtKind,
  parseJwt,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import { catalogSkill, fileBytes, type Skill, skillDigest } from "@authz/skills";
import { AuthzError, refusingJwt } from "../errors.js";
import type { IssuerKeys } from "../issuer/issuer-keys.js";
import type { AuthzResponse, RouteRequest, RouteResponse } from "../messages.js";
import type { SkillSource } from "../options/skills.js";
import { spendJwt } from "../replay.js";
import { readCredentials } from "../request/credentials.js";
import { findPath } from "../request/target.js";
import { paths } from "./metadata.js";

/** The dependencies of the catalog. */
export interface SkillCatalogOptions {
  readonly issuer: string;
  readonly publicOrigin: string;
  readonly issuerKeys: IssuerKeys;
  readonly replayStore: ReplayStore;
  readonly clock: Clock;
}

const kind: JwtKind = { type: "authz-skills+jwt", maxBytes: 8 * 1024 };
const maximumSeconds = 60;

/**
 * Answers the authorization server with the whole catalog, hidden skills included. Files are named by their digests; each has an address.
 *
 * @throws {AuthzError} The caller is not the authorization server.
 */
export async function answerCatalog(
  request: RouteRequest,
  source: SkillSource,
  options: SkillCatalogOptions,
): Promise<AuthzResponse> {
  await checkService(request, options);
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
    body: JSON.stringify({ skills: (await source.load()).map(catalogSkill) }),
  };
}

/** Answers the authorization server with a file that the catalog names, by the SHA-256 of its bytes. */
export type AnswerSkillFile = (request: RouteRequest, options: SkillCatalogOptions) => Promise<RouteResponse>;

/** Serves files of the last load, and loads again for an unknown one, which another process may have listed. */
export function skillFileAnswers(source: SkillSource): AnswerSkillFile {
  let files: ReadonlyMap<string, Uint8Array> = new Map();
  return async (request, options) => {
    await checkService(request, options);
    const digest = `sha256:${(findPath(request.url) ?? "").slice(paths.skillFiles.length + 1)}`;
    if (!files.has(digest)) files = filesOf(await source.load());
    const body = files.get(digest);
    if (body === undefined) return noSuchFile;
    return { status: 200, headers: { ...privately, "content-type": "application/octet-stream" }, body };
  };
}

function filesOf(skills: readonly Skill[]): ReadonlyMap<string, Uint8Array> {
  return new Map(
    skills
      .flatMap(({ files = [] }) => files)
      .map((file) => {
        const bytes = fileBytes(file);
        return [skillDigest(bytes), bytes];
      }),
  );
}

const privately = Object.freeze({ "cache-control": "no-store", "x-content-type-options": "nosniff" });

const noSuchFile: AuthzResponse = Object.freeze({
  status: 404,
  headers: Object.freeze({ ...privately, "content-type": "application/json" }),
  body: JSON.stringify({
    error: "not_found",
    error_description: "No skill has a file with this digest.",
  }),
});

/** Accepts a service assertion, which only the authorization server signs, one per request. */
async function checkService(request: RouteRequest, options: SkillCatalogOptions): Promise<void> {
  const { scheme, token } = readCredentials(request);
  if (scheme !== "Bearer") throw new AuthzError("invalid_token", "scheme_not_accepted");
  const { issuer, publicOrigin, replayStore } = options;
  const assertion = await refusingJwt("invalid_token", () => verifyAssertion(token, options));
  const parts = [issuer, publicOrigin, assertion.tokenId];
  if (!(await spendJwt({ kind: "catalog", parts, expiresAt: assertion.expiresAt }, replayStore)))
    throw new AuthzError("invalid_token", "jwt_replayed");
}

async function verifyAssertion(
  token: string,
  { issuer, publicOrigin, issuerKeys, clock }: SkillCatalogOptions,
): Promise<{ readonly tokenId: string; readonly expiresAt: number }> {
  const jwt = parseJwt(token, kind);
  const { claims } = jwt;
  checkIssuer(claims, issuer);
  checkSignature(jwt, await issuerKeys.find(jwt.kid));
  if (readSubject(claims) !== issuer) throw new JwtError("subject");
  checkAudience(claims, publicOrigin);
  const now = Math.floor(clock() / 1000);
  const { expiresAt } = checkLifetime(claims, { now, maximum: maximumSeconds });
  return { tokenId: readTokenId(claims), expiresAt };
}
