import { randomUUID } from "node:crypto";
import { createProofSigner, generateEs256KeyPair, type ProofSigner } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { AnswerFields } from "../answer-fields.js";
import type { ClientContext } from "../client-context.js";
import { loadServerMetadata } from "../discovery.js";
import { AuthzClientError } from "../errors.js";
import { quoted } from "../quoted.js";
import type { KeptToken } from "../session/session.js";
import { keptToken } from "../session/session-keeper.js";
import { OAuthRefusal, requestToken } from "../tokens/token-endpoint.js";
import type { MachineSigningKey } from "./machine-client.js";

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_SECONDS = 60;
/** A token that ends within this time is treated as ended, so that it survives the way to the service. */
const MARGIN_MS = 10_000;

/** What the parts of a machine client share. */
export type MachineContext = Omit<ClientContext, "store">;

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
  readonly #context: MachineContext;
  readonly #assert: (audience: string) => string;
  readonly #kept = new Map<string, KeptToken>();
  readonly #underway = new Map<string, Promise<KeptToken>>();
  #signer: Promise<ProofSigner> | undefined;

  constructor(context: MachineContext, signingKey: MachineSigningKey) {
    this.#context = context;
    this.#assert = createAssertions(context, signingKey);
  }

  /**
   * A token for a service, a kept one when there is one.
   *
   * @param refusedToken A token the service just refused; a kept token with this value is not used.
   */
  async get(request: MachineTokenRequest, refusedToken?: string): Promise<MachineToken> {
    this.#signer ??= createSigner(this.#context);
    const signer = await this.#signer;
    const key = JSON.stringify([request.resource, [...request.scopes].sort().join(" ")]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.value !== refusedToken && this.#isFresh(kept))
      return { token: kept.value, signer };
    const work = this.#underway.get(key) ?? this.#begin(request, key, signer);
    return { token: (await work).value, signer };
  }

  #isFresh({ expiresAt }: KeptToken): boolean {
    return expiresAt - MARGIN_MS > this.#context.clock();
  }

  #begin(request: MachineTokenRequest, key: string, signer: ProofSigner): Promise<KeptToken> {
    const work = this.#obtain(request, signer)
      .then((token) => {
        this.#kept.set(key, token);
        return token;
      })
      .finally(() => this.#underway.delete(key));
    this.#underway.set(key, work);
    return work;
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
          client_assertion_type: JWT_BEARER,
          client_assertion: this.#assert(audience),
          resource,
          scope: scopes.length === 0 ? undefined : scopes.join(" "),
        }),
      });
      const token = keptToken(new AnswerFields(body, tokenEndpoint), this.#context.clock());
      this.#context.onEvent({ type: "service_token_obtained", resource, scopes });
      return token;
    } catch (error) {
      throw error instanceof OAuthRefusal ? machineRefused(error, request, this.#context) : error;
    }
  }
}

async function createSigner({ clock }: MachineContext): Promise<ProofSigner> {
  return createProofSigner(await generateEs256KeyPair(), { clock });
}

/** Client assertions for one client (RFC 7523 §3): a minute long, each with a name of its own. */
function createAssertions(
  { clientId, clock }: MachineContext,
  { kid, privateJwk }: MachineSigningKey,
): (audience: string) => string {
  const key = importPrivateJwk(privateJwk);
  const header = { typ: "JWT", ...(kid === undefined ? {} : { kid }) };
  return (audience) => {
    const iat = Math.floor(clock() / 1000);
    const claims = { iss: clientId, sub: clientId, aud: audience, iat, exp: iat + ASSERTION_SECONDS };
    return signCompactJws(header, { ...claims, jti: randomUUID() }, key);
  };
}

function machineRefused(
  refusal: OAuthRefusal,
  { resource, scopes }: MachineTokenRequest,
  { clientId, issuer }: MachineContext,
): AuthzClientError {
  const why = `It answered: ${quoted(refusal.message)}`;
  switch (refusal.error) {
    case "invalid_client":
      return new AuthzClientError("refused", {
        what: `${issuer} does not accept the machine client "${clientId}".`,
        why,
        hint: "Check its id, that the public half of its key is registered under the same kid, and the clock.",
        cause: refusal,
      });
    case "invalid_scope":
      return new AuthzClientError("scope_not_granted", {
        what: `The machine client "${clientId}" may not do this at ${resource}.`,
        why,
        hint: "Ask an administrator to give it the permission.",
        missingScopes: scopes,
        cause: refusal,
      });
    case "invalid_target":
      return new AuthzClientError("resource_not_available", {
        what: `${resource} is not a service of this authorization server.`,
        why,
        hint: "Check the resource identifier. An administrator can register it.",
        cause: refusal,
      });
    default:
      return new AuthzClientError("refused", {
        what: `${issuer} gave the machine client "${clientId}" no token.`,
        why,
        hint: "Try again. If it stays like this, show this message to your administrator.",
        cause: refusal,
      });
  }
}
