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
  readonly tokenId: string;
}

export interface MachineAuthenticationDependencies extends AuthenticationDependencies {
  readonly store: AuthenticationDependencies["store"] & Pick<Store, "clients">;
}

/**
 * Verifies the access token and the proof of a machine, and that it still has the scope.
 *
 * @throws {OAuthError} `unauthorized`, `invalid_request`, `invalid_token`, `invalid_dpop_proof` or `insufficient_scope`.
 */
export async function authenticateMachine(
  request: ProtectedRequest,
  dependencies: MachineAuthenticationDependencies & { readonly scope: string },
): Promise<AuthenticatedMachine> {
  const { store, scope } = dependencies;
  const { scheme, token } = readCredentials(request);
  if (scheme !== "dpop") throw invalidToken("bearer_scheme");
  const claims = refusingToken(() => verifyOwnMachineToken(token, dependencies));
  const proof = checkProof(request, token, dependencies);
  if (proof.thumbprint !== claims.jkt) throw invalidToken("key_mismatch");

  if (!claims.scopes.includes(scope)) throw new MachineScopeError(claims.clientId, scope);
  const client = await requireMachine({ clientId: claims.clientId, scope }, store);
  await useUp(store, { proof, assertionUse: undefined });
  dependencies.proofChecker.remember(proof);
  return { client, tokenId: claims.jti };
}

/**
 * The machine, if it is enabled and still has the scope.
 *
 * @throws {OAuthError} `invalid_token` or `insufficient_scope`.
 */
export async function requireMachine(
  { clientId, scope }: { readonly clientId: string; readonly scope: string },
  store: Pick<Store, "clients">,
): Promise<Client> {
  const client = await store.clients.find(clientId);
  if (client === undefined || client.type !== "machine" || !client.enabled) {
    throw invalidToken("client_disabled");
  }
  const held = await store.clients.listMachineScopes(client.id);
  if (!held.includes(scope)) throw new MachineScopeError(client.id, scope);
  return client;
}

/** The machine is authenticated but does not have the scope. */
export class MachineScopeError extends OAuthError {
  readonly clientId: string;
  constructor(clientId: string, scope: string) {
    super("insufficient_scope", "scope_missing", `This machine does not have ${scope}.`);
    this.clientId = clientId;
  }
}
