import type { ProtectedRequest } from "../../platform/http/protected-request.js";
import { useUp } from "../clients/proof.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { Client } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import {
  type AuthenticationDependencies,
  checkProof,
  invalidToken,
  readCredentials,
  refusingToken,
} from "./authenticate-access-token.js";
import { verifyOwnMachineToken } from "./verify-own-token.js";

/** A machine that calls this server's own API. */
export interface AuthenticatedMachine {
  readonly client: Client;
  /** Which of the scopes in question its token has, and the machine has still. */
  readonly scopes: readonly string[];
  readonly tokenId: string;
}

export interface MachineAuthenticationDependencies extends AuthenticationDependencies {
  readonly store: AuthenticationDependencies["store"] & Pick<Store, "clients">;
}

/**
 * Verifies the access token and the proof of a machine, and that it still has one of the scopes.
 *
 * @throws {OAuthError} `unauthorized`, `invalid_request`, `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`.
 */
export async function authenticateMachine(
  request: ProtectedRequest,
  dependencies: MachineAuthenticationDependencies & { readonly scopes: readonly [string, ...string[]] },
): Promise<AuthenticatedMachine> {
  const { store, scopes: wanted } = dependencies;
  const { scheme, token } = readCredentials(request);
  if (scheme !== "dpop") throw invalidToken("bearer_scheme");
  const claims = refusingToken(() => verifyOwnMachineToken(token, dependencies));
  const proof = checkProof(request, token, dependencies);
  if (proof.thumbprint !== claims.jkt) throw invalidToken("key_mismatch");

  const shown = wanted.filter((scope) => claims.scopes.includes(scope));
  if (shown.length === 0) throw new MachineScopeError(claims.clientId, wanted[0]);
  const { client, scopes } = await requireMachine({ clientId: claims.clientId, scopes: shown }, store);
  await useUp(store, { proof, assertionUse: undefined });
  dependencies.proofChecker.remember(proof);
  return { client, scopes, tokenId: claims.jti };
}

/**
 * The machine and which of the scopes it still has, if it is enabled and has one.
 *
 * @throws {OAuthError} `invalid_token` or `insufficient_scope`.
 */
export async function requireMachine(
  { clientId, scopes: shown }: { readonly clientId: string; readonly scopes: readonly string[] },
  store: Pick<Store, "clients">,
): Promise<Omit<AuthenticatedMachine, "tokenId">> {
  const client = await store.clients.find(clientId);
  if (client === undefined || client.type !== "machine" || !client.enabled) {
    throw invalidToken("client_disabled");
  }
  const held = await store.clients.listMachineScopes(client.id);
  const scopes = shown.filter((scope) => held.includes(scope));
  if (scopes.length === 0) throw new MachineScopeError(client.id, shown[0] ?? "");
  return { client, scopes };
}

/** The machine is authenticated but does not have the scope. */
export class MachineScopeError extends OAuthError {
  readonly clientId: string;
  constructor(clientId: string, scope: string) {
    super("insufficient_scope", "scope_missing", `This machine does not have ${scope}.`);
    this.clientId = clientId;
  }
}
