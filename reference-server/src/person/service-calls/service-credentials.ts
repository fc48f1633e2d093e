import { randomUUID } from "node:crypto";
import { type Clock, createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { parseChallenges } from "@authz/dpop/challenges";
import { LRUCache } from "lru-cache";
import type { Credential } from "../../forwarding/exchange.js";
import { type HeaderLine, headerValues } from "../../forwarding/header-lines.js";
import type { PreparedCall } from "../../forwarding/open-call.js";
import type { Keys } from "../../oauth/keys/keys.js";
import { serviceTokenClaims, shortened, tokenHeaders } from "../../oauth/tokens/claims.js";
import type { Caller } from "../../oauth/tokens/identify-caller.js";
import { earliestEnd, lastingRules } from "../../permissions/effective-scopes.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { Resource } from "../../store/resources.js";

/** Whose token, for which service and with which of its scopes. */
interface WantedToken {
  readonly caller: Caller;
  readonly resource: Resource;
  readonly scopes: readonly string[];
}

/** Makes the credentials with which this process calls services for people. */
export interface ServiceCredentials {
  readonly for: (
    wanted: WantedToken,
    request: { readonly method: string; readonly url: URL },
  ) => Pick<PreparedCall, "credential" | "received">;
}

export interface ServiceCredentialsContext {
  readonly issuer: string;
  readonly keys: Pick<Keys, "sign" | "keySet">;
  readonly clock: Clock;
}

/** Last nonces of services that are kept. */
const maximumOrigins = 1_000;
/** RFC 9449 §8.1, with a bound that keeps a header short. */
const nonceForm = /^[\x21\x23-\x5b\x5d-\x7e]{1,512}$/;

/**
 * Creates the credentials of one process: DPoP-bound tokens (RFC 9449). Their key is generated here, is never stored, and ends with the
 * process, so a leaked token is useless elsewhere. The last nonce of each service is kept, so that a service that wants one challenges
 * once.
 */
export async function createServiceCredentials(
  context: ServiceCredentialsContext,
): Promise<ServiceCredentials> {
  const signer = createProofSigner(await generateEs256KeyPair(), { clock: context.clock });
  const tokenFor = createTokens(context, signer.thumbprint);
  const nonces = new LRUCache<string, string>({ max: maximumOrigins });

  return {
    for(wanted, { method, url }) {
      const accessToken = tokenFor(wanted);
      let challenged = false;
      const prove = (): Credential => {
        const nonce = nonces.get(url.origin);
        const request = { method, url: url.href, accessToken };
        const proof = signer.sign({ ...request, ...(nonce !== undefined && { nonce }) });
        return {
          headers: [
            ["authorization", `DPoP ${accessToken}`],
            ["dpop", proof],
          ],
          secrets: [accessToken, proof],
        };
      };
      return {
        credential: prove(),
        received({ status, headers }) {
          const nonce = nonceOf(headers);
          if (nonce !== undefined) nonces.set(url.origin, nonce);
          if (nonce === undefined || challenged || status !== 401 || !wantsNonce(headers)) return undefined;
          challenged = true;
          return prove();
        },
      };
    },
  };
}

function nonceOf(headers: readonly HeaderLine[]): string | undefined {
  const [nonce, ...others] = headerValues(headers, "dpop-nonce");
  return nonce !== undefined && others.length === 0 && nonceForm.test(nonce) ? nonce : undefined;
}

/** RFC 9449 §9: the service has done nothing, and wants the same request again. */
function wantsNonce(headers: readonly HeaderLine[]): boolean {
  return parseChallenges(headerValues(headers, "www-authenticate")).some(
    ({ parameters }) => parameters.get("error") === "use_dpop_nonce",
  );
}

/** A token with less time left is signed anew: a request and clock differences must not outlive it. */
const minimumSeconds = 60;
const maximumTokens = 10_000;

interface KeptToken {
  readonly token: string;
  /** In milliseconds. */
  readonly goodUntil: number;
}

/**
 * Signs tokens, and keeps them. A kept token does not allow a call; that is decided before each. It is found by everything that it
 * contains, and dropped when the key set changes that it was signed under.
 *
 * @returns A token with a minute left, unless a permission that it rests on ends before.
 */
function createTokens(
  { issuer, keys, clock }: ServiceCredentialsContext,
  jkt: string,
): (wanted: WantedToken) => string {
  const kept = new LRUCache<string, KeptToken>({ max: maximumTokens });
  let keySet = keys.keySet();

  function sign({ caller, resource, scopes }: WantedToken, now: Date, until: number): string {
    const { user, grant, clientId } = caller;
    const claims = serviceTokenClaims(
      { user, authentication: grant },
      {
        issuer,
        clientId,
        resource: resource.resource,
        scopes,
        grantId: grant.id,
        statusIndex: grant.statusIndex,
        jkt,
        jti: randomUUID(),
        now,
        until,
      },
    );
    return keys.sign({ typ: tokenHeaders.accessToken }, claims);
  }

  return (wanted) => {
    const now = clock();
    if (keys.keySet() !== keySet) {
      kept.clear();
      keySet = keys.keySet();
    }
    const until = earliestEnd(lastingRules(wanted.caller.permissions, wanted.scopes));
    const name = nameOf(wanted, until);
    const known = kept.get(name);
    if (known !== undefined && known.goodUntil > now) return known.token;
    const token = sign(wanted, new Date(now), until);
    const seconds = shortened(new Date(now), lifetimes.accessToken, until);
    kept.set(name, { token, goodUntil: now + (seconds - minimumSeconds) * 1000 });
    return token;
  };
}

/** Everything that a token contains about person, client, sign-in and service; a grant never changes its client. */
function nameOf({ caller: { user, grant }, resource, scopes }: WantedToken, until: number): string {
  const { id, authTime, amr, statusIndex } = grant;
  const about = [id, authTime, amr, statusIndex, user.id, user.email, user.name];
  return JSON.stringify([...about, resource.resource, until, ...scopes]);
}
