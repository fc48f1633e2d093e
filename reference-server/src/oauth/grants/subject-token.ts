import { OAuthError } from "../../protocol/oauth-error.js";
import { tokenTypes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { loginScope } from "../../store/system-scopes.js";
import type { Client } from "../../store/clients.js";
import type { Grant } from "../../store/grants.js";
import type { Resource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import type { ExchangeTarget } from "../../store/token-requests.js";
import {
  type OwnTokenClaims,
  OwnTokenError,
  verifyOwnAccessToken,
  verifyOwnIdToken,
} from "../tokens/verify-own-token.js";
import { standingFault } from "../standing.js";
import { type GrantContext, invalidGrant, type RequestContext, type Verdict } from "./grant.js";
import { grantFault, keyFault, admitPerson, resolvePerson } from "./person.js";
import { decideRefreshToken, loadRefreshToken, type RefreshSituation } from "./refresh-token.js";

export type SubjectTokenType =
  | typeof tokenTypes.refreshToken
  | typeof tokenTypes.idToken
  | typeof tokenTypes.accessToken;

/** Whether a token of this type can be exchanged. */
export function isSubjectTokenType(type: string): type is SubjectTokenType {
  return type === tokenTypes.refreshToken || type === tokenTypes.idToken || type === tokenTypes.accessToken;
}

/** A subject token as loaded: the stored state of a refresh token, or verified claims and their grant. */
export type SubjectSituation =
  | { readonly kind: "refresh_token"; readonly state: Omit<RefreshSituation, "client"> }
  | { readonly kind: "invalid"; readonly reason: string }
  | {
      readonly kind: "signed";
      readonly claims: OwnTokenClaims;
      readonly grant: Grant | undefined;
      readonly person: Permissions | undefined;
      readonly stopped: boolean;
    };

/** The live grant that a subject token stands for. */
export interface SubjectPermit {
  readonly grant: Grant;
  readonly person: Permissions;
}

/** Loads a subject token's grant, the client that presents it, and the service to exchange it for, in one statement. */
export async function loadSubject(
  store: Store,
  subject: { readonly token: string; readonly type: SubjectTokenType },
  target: ExchangeTarget,
  context: Pick<RequestContext, "clientId" | "keys" | "directories" | "nextRefreshToken" | "issuer" | "now">,
): Promise<{
  readonly client: Client | undefined;
  readonly subject: SubjectSituation;
  readonly resource: Resource | undefined;
}> {
  const { clientId } = context;
  if (subject.type === tokenTypes.refreshToken) {
    const state = await loadRefreshToken(store, subject.token, context, target);
    return { client: state.client, subject: { kind: "refresh_token", state }, resource: state.target };
  }
  const verify = subject.type === tokenTypes.idToken ? verifyOwnIdToken : verifyOwnAccessToken;
  try {
    const claims = verify(subject.token, context);
    const found = await store.tokenRequests.findByGrant({ id: claims.grantId, clientId, target });
    const { client, grant, stopped } = found;
    const person = await resolvePerson(found.person, { ...context, store });
    return { client, subject: { kind: "signed", claims, grant, person, stopped }, resource: found.target };
  } catch (error) {
    if (!(error instanceof OwnTokenError)) throw error;
    const client = await store.clients.find(clientId);
    const invalid = { kind: "invalid", reason: `subject_token_${error.reason}` } as const;
    return { client, subject: invalid, resource: undefined };
  }
}

/** Decides whether a subject token stands for a live grant of this client with this key. Pure. */
export function decideSubject(
  situation: SubjectSituation,
  context: Pick<GrantContext, "client" | "proof" | "now" | "issuer">,
): Verdict<SubjectPermit> {
  if (situation.kind === "invalid") return { kind: "refuse", error: invalidGrant(situation.reason) };
  if (situation.kind === "signed") return decideSigned(situation, context);
  const verdict = decideRefreshToken(situation.state, context);
  if (verdict.kind !== "permit") return verdict;
  const { grant, person } = verdict.permit;
  return { kind: "permit", permit: { grant, person } };
}

function decideSigned(
  { claims, grant, person, stopped }: Extract<SubjectSituation, { kind: "signed" }>,
  { client, proof, now, issuer }: Pick<GrantContext, "client" | "proof" | "now" | "issuer">,
): Verdict<SubjectPermit> {
  if (grant === undefined) return { kind: "refuse", error: invalidGrant("unknown_grant") };
  const concern = { userId: grant.userId, grantId: grant.id };
  const refuse = (reason: string): Verdict<never> => ({
    kind: "refuse",
    error: invalidGrant(reason),
    concern,
  });

  if (claims.clientId !== client.id || grant.clientId !== client.id) return refuse("foreign_client");
  // An ID token names no key, but it must not be worth more than the access token beside it.
  const wrongKey = keyFault(grant.jkt, proof);
  if (wrongKey !== undefined) return { kind: "refuse", error: wrongKey, concern };
  const ended = grantFault(grant, now);
  if (ended !== undefined) return refuse(ended);
  // An access token may have fewer scopes than its grant. An ID token has none of its own.
  if (claims.jti !== undefined && !claims.scopes.includes(loginScope)) return refuse("login_scope_missing");
  const held = standingFault({ user: person?.user, stopped, issuer });
  if (held !== undefined) return { kind: "refuse", error: held, concern };
  const admitted = admitPerson(person);
  if (admitted instanceof OAuthError) return { kind: "refuse", error: admitted, concern };
  return { kind: "permit", permit: { grant, person: admitted } };
}
