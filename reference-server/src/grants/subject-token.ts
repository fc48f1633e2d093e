import { tokenTypes } from "../oauth/vocabulary.js";
import type { Permissions } from "../policy/effective-scopes.js";
import type { Grant } from "../store/grants.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import {
  type OwnTokenClaims,
  OwnTokenError,
  verifyOwnAccessToken,
  verifyOwnIdToken,
} from "../tokens/verify-own-token.js";
import type { GrantContext, Verdict } from "./grant.js";
import { invalidGrant } from "./invalid-grant.js";
import { grantFault, loadPerson, personFault } from "./log-in.js";
import { decideRefreshToken, loadRefreshToken, type RefreshSituation } from "./refresh-token.js";

export type SubjectTokenType =
  | typeof tokenTypes.refreshToken
  | typeof tokenTypes.idToken
  | typeof tokenTypes.accessToken;

/** Whether a token of this type can be exchanged. */
export function isSubjectTokenType(type: string): type is SubjectTokenType {
  return type === tokenTypes.refreshToken || type === tokenTypes.idToken || type === tokenTypes.accessToken;
}

/** What is known about a subject token: stored state of a refresh token, or verified claims and their log-in. */
export type SubjectSituation =
  | { readonly kind: "refresh_token"; readonly state: RefreshSituation }
  | { readonly kind: "invalid"; readonly reason: string }
  | {
      readonly kind: "signed";
      readonly claims: OwnTokenClaims;
      readonly grant: Grant | undefined;
      readonly person: Permissions | undefined;
    };

/** The live log-in that a subject token stands for. */
export interface SubjectPermit {
  readonly grant: Grant;
  readonly user: User;
  readonly person: Permissions;
}

export async function loadSubject(
  store: Store,
  subject: { readonly token: string; readonly type: SubjectTokenType },
  context: Pick<GrantContext, "keys" | "issuer" | "now">,
): Promise<SubjectSituation> {
  if (subject.type === tokenTypes.refreshToken) {
    return { kind: "refresh_token", state: await loadRefreshToken(store, subject.token) };
  }
  const verify = subject.type === tokenTypes.idToken ? verifyOwnIdToken : verifyOwnAccessToken;
  let claims: OwnTokenClaims;
  try {
    claims = verify(subject.token, context);
  } catch (error) {
    if (error instanceof OwnTokenError) return { kind: "invalid", reason: `subject_token_${error.reason}` };
    throw error;
  }
  const grant = await store.grants.find(claims.grantId);
  return { kind: "signed", claims, grant, person: grant && (await loadPerson(store, grant.userId)) };
}

/** Decides whether a subject token stands for a live log-in of this client with this key. Pure. */
export function decideSubject(
  situation: SubjectSituation,
  context: Pick<GrantContext, "client" | "proof" | "now">,
): Verdict<SubjectPermit> {
  if (situation.kind === "invalid") return { kind: "refuse", error: invalidGrant(situation.reason) };
  if (situation.kind === "signed") return decideSigned(situation, context);
  const verdict = decideRefreshToken(situation.state, context);
  if (verdict.kind !== "permit") return verdict;
  const { grant, user } = verdict.permit;
  const { person } = situation.state;
  if (person === undefined) return { kind: "refuse", error: invalidGrant("unknown_user") };
  return { kind: "permit", permit: { grant, user, person } };
}

function decideSigned(
  { claims, grant, person }: Extract<SubjectSituation, { kind: "signed" }>,
  { client, proof, now }: Pick<GrantContext, "client" | "proof" | "now">,
): Verdict<SubjectPermit> {
  if (grant === undefined) return { kind: "refuse", error: invalidGrant("unknown_log_in") };
  const concern = { userId: grant.userId, grantId: grant.id };
  const refuse = (reason: string): Verdict<never> => ({
    kind: "refuse",
    error: invalidGrant(reason),
    concern,
  });

  if (claims.clientId !== client.id || grant.clientId !== client.id) return refuse("foreign_client");
  if (grant.jkt !== proof.thumbprint) return refuse("wrong_key");
  const ended = grantFault(grant, now);
  if (ended !== undefined) return refuse(ended);
  const fault = personFault(person);
  if (person === undefined || fault !== undefined) return refuse(fault ?? "unknown_user");
  return { kind: "permit", permit: { grant, user: person.user, person } };
}
