import { randomUUID } from "node:crypto";
import { createProofSigner, generateEs256KeyPair, type PrivateJwk, type ProofSigner } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { AuthzClientError } from "../errors.js";
import { JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";
import type { ServerContext } from "./server-context.js";
import { loadServerMetadata } from "./server-metadata.js";
import { type KeptToken, keptToken, TokenCache } from "./token-cache.js";
import { OAuthRefusal, requestToken } from "./token-endpoint.js";

const jwtBearer = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const assertionSeconds = 60;

/** The key a machine client signs its client assertions with. */
export interface MachineSigningKey {
  /** As registered; without one, the server tries all keys of the client. */
  kid?: string;
  /** ES256 private key whose public half is registered. */
  privateJwk: PrivateJwk;
}

/** What a token is needed for. No scopes: everything the machine has there. */
export interface MachineTokenRequest {
  resource: string;
  scopes: readonly string[];
}

/** A token and the signer of the key it is bound to. */
export interface MachineToken {
  token: string;
  signer: ProofSigner;
}

/** Gets a machine's access tokens and keeps them until they end, in memory. */
export class MachineTokens {
  readonly #context: ServerContext;
  readonly #assert: (audience: string) => string;
  readonly #cache: TokenCache;
  readonly #kept = new Map<string, KeptToken>();
  #signer: Promise<ProofSigner> | undefined;

  constructor(context: ServerContext, signingKey: MachineSigningKey) {
    this.#context = context;
    this.#assert = createAssertions(context, signingKey);
    this.#cache = new TokenCache(context.clock);
  }

  /**
   * A token for a service, a kept one when there is one.
   *
   * @param refused A token the service just refused; a kept token with this value is not used.
   */
  async get(request: MachineTokenRequest, refused?: string): Promise<MachineToken> {
    this.#signer ??= createSigner(this.#context);
    const signer = await this.#signer;
    const key = JSON.stringify([request.resource, [...request.scopes].sort().join(" ")]);
    const obtain = async (): Promise<KeptToken> => {
      const token = await this.#obtain(request, signer);
      this.#kept.set(key, token);
      return token;
    };
    return { token: await this.#cache.get({ key, kept: this.#kept.get(key), refused, obtain }), signer };
  }

  async #obtain(request: MachineTokenRequest, signer: ProofSigner): Promise<KeptToken> {
    const { clientId, issuer } = this.#context;
    const { tokenEndpoint, issuer: audience } = await loadServerMetadata(this.#context, issuer);
    const { resource, scopes } = request;
    try {
      const body = await requestToken(this.#context, {
        endpoint: tokenEndpoint,
        signer,
        // Made anew for every attempt: an assertion is accepted once.
        form: () => ({
          grant_type: "client_credentials",
          client_id: clientId,
          client_assertion_type: jwtBearer,
          client_assertion: this.#assert(audience),
          resource,
          scope: scopes.length === 0 ? undefined : scopes.join(" "),
        }),
      });
      const token = keptToken(new JsonFields(body, tokenEndpoint), this.#context.clock());
      this.#context.onEvent({ type: "service_token_obtained", resource, scopes });
      return token;
    } catch (error) {
      throw error instanceof OAuthRefusal ? machineRefused(error, request, this.#context) : error;
    }
  }
}

async function createSigner({ clock }: ServerContext): Promise<ProofSigner> {
  return createProofSigner(await generateEs256KeyPair(), { clock });
}

/** Client assertions for one client (RFC 7523 §3): a minute long, each with a name of its own. */
function createAssertions(
  { clientId, clock }: ServerContext,
  { kid, privateJwk }: MachineSigningKey,
): (audience: string) => string {
  const key = importPrivateJwk(privateJwk);
  const header = { typ: "JWT", ...(kid === undefined ? {} : { kid }) };
  return (audience) => {
    const iat = Math.floor(clock() / 1000);
    const claims = { iss: clientId, sub: clientId, aud: audience, iat, exp: iat + assertionSeconds };
    return signCompactJws(header, { ...claims, jti: randomUUID() }, key);
  };
}

function machineRefused(
  refusal: OAuthRefusal,
  { resource, scopes }: MachineTokenRequest,
  { clientId, issuer }: ServerContext,
): AuthzClientError {
  const why = `It answered: ${quoted(refusal.message)}`;
  switch (refusal.error) {
    case "invalid_client":
      return new AuthzClientError("machine_not_accepted", {
        what: `${issuer} does not accept the machine client "${clientId}".`,
        why: `${why} Its id, the registered half of its key with the same kid, and the clock have to be right.`,
        cause: refusal,
      });
    case "invalid_scope":
      return new AuthzClientError("scope_missing", {
        what: `The machine client "${clientId}" may not do this at ${resource}.`,
        why,
        missingScopes: scopes,
        cause: refusal,
      });
    case "invalid_target":
      return new AuthzClientError("resource_not_available", {
        what: `${resource} is not a service of this authorization server.`,
        why,
        cause: refusal,
      });
    default:
      return new AuthzClientError("refusal_unexpected", {
        what: `${issuer} issued no token to the machine client "${clientId}".`,
        why,
        cause: refusal,
      });
  }
}
