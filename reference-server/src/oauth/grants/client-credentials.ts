import { randomUUID } from "node:crypto";
import { missingProof } from "../clients/proof.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { parseScope, requireParameter } from "../../protocol/parameters.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import { roleScopes } from "../../store/system-scopes.js";
import { standingFault } from "../standing.js";
import { apiAudience, machineTokenClaims, tokenHeaders } from "../tokens/claims.js";
import type { GrantContext, GrantType, TokenResponse, Verdict } from "./grant.js";

export interface MachineInput {
  readonly resource: string;
  /** Default: everything the machine has at the resource. */
  readonly scope: string | undefined;
}

/** What a machine can have a token for: a registered resource, or this server's own API. */
type MachineTarget = Pick<Resource, "name" | "resource" | "enabled" | "builtIn" | "supportedScopes"> & {
  /** `null`: this server's own API. */
  readonly id: string | null;
};

export interface MachineSituation {
  readonly client: Client | undefined;
  /** All scopes assigned to the machine. */
  readonly machineScopes: readonly string[];
  /** A stop applies to the machine, the service, or everything. */
  readonly stopped: boolean;
  /** Its entry in the token status list. */
  readonly statusIndex: number | undefined;
  readonly resource: MachineTarget | undefined;
}

export interface MachinePermit {
  /** A machine acts for nobody. */
  readonly person?: undefined;
  readonly resource: MachineTarget;
  readonly scopes: readonly string[];
  readonly jkt: string;
  readonly statusIndex: number | undefined;
}

/** This server as a resource. Machines come here only for a role at the administration. */
function ownApi(issuer: string): MachineTarget {
  const supportedScopes = roleScopes;
  return {
    id: null,
    name: "this server",
    resource: apiAudience(issuer),
    enabled: true,
    builtIn: false,
    supportedScopes,
  };
}

/** Issues a machine a token of its own for one resource (RFC 6749 §4.4, RFC 8707). */
export const clientCredentialsGrant: GrantType<MachineInput, MachineSituation, MachinePermit> = {
  parameters: ["resource", "scope"],

  parse: (parameters) => ({
    resource: requireParameter(parameters, "resource"),
    scope: parameters.get("scope"),
  }),

  async load(store, input, { clientId, issuer }) {
    const own = ownApi(issuer);
    const [client, machine, stopped, resource] = await Promise.all([
      store.clients.find(clientId),
      store.clients.findMachine(clientId),
      store.stops.applies({ userId: null, clientId, resource: input.resource }),
      input.resource === own.resource ? own : store.resources.findByIdentifier(input.resource),
    ]);
    return {
      client,
      machineScopes: machine?.scopes ?? [],
      statusIndex: machine?.statusIndex,
      stopped,
      resource,
    };
  },

  decide: decideMachine,

  issue({ resource, scopes, jkt, statusIndex }, { client, issuer, keys, now, requestId }) {
    const jti = randomUUID();
    const content = { issuer, clientId: client.id, resource: resource.resource, scopes, jkt, jti, now };
    const isOwn = resource.resource === apiAudience(issuer);
    const claims = machineTokenClaims({ ...content, statusIndex: isOwn ? undefined : statusIndex });
    const response: TokenResponse = {
      access_token: keys.sign({ typ: tokenHeaders.accessToken }, claims),
      token_type: "DPoP",
      expires_in: lifetimes.accessToken,
      scope: scopes.join(" "),
    };
    return {
      respond: () => response,
      audit: {
        type: "machine_token.issued",
        outcome: "success",
        actor: { type: "client", id: client.id },
        at: now,
        clientId: client.id,
        requestId,
        data: { tokenId: jti, resource: resource.resource, scopes, jkt },
      },
      basis: {
        grantId: null,
        userId: null,
        resourceId: resource.id,
        assignmentIds: [],
        machineScopes: scopes,
      },
      store: (redemptions, record) => redemptions.recordIssuance(record),
    };
  },
};

/** Decides what a machine gets at one resource: what is assigned to it and the resource knows. Pure. */
export function decideMachine(
  { machineScopes, stopped, statusIndex, resource }: Omit<MachineSituation, "client">,
  input: MachineInput,
  { proof, issuer }: Pick<GrantContext, "proof" | "issuer">,
): Verdict<MachinePermit> {
  if (proof === undefined) return { kind: "refuse", error: missingProof() };
  const refuse = (error: OAuthError): Verdict<never> => {
    return { kind: "refuse", error, concern: { userId: undefined, grantId: null } };
  };
  const fault = standingFault({ user: undefined, stopped, issuer });
  if (fault !== undefined) return refuse(fault);
  // The address for agents is for users only.
  if (resource === undefined || resource.builtIn || !resource.enabled) {
    const reason = resource?.enabled !== false ? "unknown_resource" : "resource_disabled";
    const message = "The resource is not registered here. Ask an administrator for its identifier.";
    return refuse(new OAuthError("invalid_target", reason, message));
  }
  const held = machineScopes.filter((scope) => resource.supportedScopes.includes(scope));
  const wanted = input.scope === undefined ? held : parseScope(input.scope);
  if (wanted === undefined) {
    return refuse(new OAuthError("invalid_scope", "malformed_scope", "The scope is malformed."));
  }
  if (wanted.length === 0) {
    const message = `This machine has no permission at ${resource.name}. Ask an administrator for one.`;
    return refuse(new OAuthError("invalid_scope", "nothing_granted", message));
  }
  const missing = wanted.filter((scope) => !held.includes(scope));
  if (missing.length > 0) {
    const message = `Not among this machine's permissions at ${resource.name}: ${missing.join(" ")}.`;
    return refuse(new OAuthError("invalid_scope", "scope_not_assigned", message));
  }
  return { kind: "permit", permit: { resource, scopes: wanted, jkt: proof.thumbprint, statusIndex } };
}
