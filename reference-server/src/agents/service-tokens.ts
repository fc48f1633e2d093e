import { randomUUID } from "node:crypto";
import { type Clock, createProofSigner, generateEs256KeyPair, type ProofSigner } from "@authz/dpop";
import { LRUCache } from "lru-cache";
import type { Keys } from "../oauth/keys/keys.js";
import { serviceTokenClaims, shortened, tokenHeaders } from "../oauth/tokens/claims.js";
import { earliestEnd, lastingRules } from "../permissions/effective-scopes.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { Resource } from "../store/resources.js";
import type { AgentCaller } from "./agent-caller.js";

/** Whose token, for which service and with which of its scopes. */
export interface WantedToken {
  readonly caller: AgentCaller;
  readonly resource: Resource;
  readonly scopes: readonly string[];
}

/** Signs the tokens with which this process calls services for people, and what proves that they are its own. */
export interface ServiceTokens {
  /** A token that is good for a minute at least, unless what it rests on ends before. */
  readonly tokenFor: (wanted: WantedToken) => string;
  /** A proof for one request. `nonce`: what the service asked for. */
  readonly prove: (request: {
    readonly method: string;
    readonly url: string;
    readonly accessToken: string;
    readonly nonce: string | undefined;
  }) => string;
}

export interface ServiceTokensContext {
  readonly issuer: string;
  readonly keys: Pick<Keys, "sign" | "keySet">;
  readonly clock: Clock;
}

/** A token that has less left is signed anew: a request and the service's clock must not outlive it. */
const leastSeconds = 60;
const maxTokens = 10_000;

interface KeptToken {
  readonly token: string;
  /** In milliseconds. */
  readonly goodUntil: number;
}

/**
 * Creates the signer. Its key is drawn here, is never stored, and ends with the process: a token that leaks is of use to nobody
 * else (RFC 9449).
 *
 * A kept token says nothing about whether a call may be made; that is decided before each. It is found by everything that it says,
 * and none outlives the key set that it was signed under.
 */
export async function createServiceTokens({
  issuer,
  keys,
  clock,
}: ServiceTokensContext): Promise<ServiceTokens> {
  const signer: ProofSigner = createProofSigner(await generateEs256KeyPair(), { clock });
  const kept = new LRUCache<string, KeptToken>({ max: maxTokens });
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
        jkt: signer.thumbprint,
        jti: randomUUID(),
        now,
        until,
      },
    );
    return keys.sign({ typ: tokenHeaders.accessToken }, claims);
  }

  return {
    tokenFor(wanted) {
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
      kept.set(name, { token, goodUntil: now + (seconds - leastSeconds) * 1000 });
      return token;
    },
    prove: ({ method, url, accessToken, nonce }) =>
      signer.sign({ method, url, accessToken, ...(nonce !== undefined && { nonce }) }),
  };
}

/** Everything that a token says of person, client, sign-in and service; a grant never changes its client. */
function nameOf({ caller: { user, grant }, resource, scopes }: WantedToken, until: number): string {
  const { id, authTime, amr } = grant;
  const about = [id, authTime, amr, user.id, user.email, user.name];
  return JSON.stringify([...about, resource.resource, until, ...scopes]);
}
