import { randomUUID } from "node:crypto";
import { changedFields } from "../audit/changed-fields.js";
import { recordAudit } from "../audit/record.js";
import { defaultsOf } from "../objects/object.js";
import { agentsKey, resourceShape } from "../objects/resource.js";
import { paths } from "../protocol/vocabulary.js";
import { agentsScope, systemScopes } from "../store/system-scopes.js";
import { type Client, registeredClient } from "../store/clients.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";

/** The command-line client, present in every installation. */
export const builtInClient: Client = {
  id: "authz-cli",
  ...registeredClient,
  name: "Authz command line",
  type: "public",
  redirectUris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
  keys: [],
  dpopBound: true,
  builtIn: true,
  enabled: true,
};

/** The identifier of the resource for agents: where they call this server, and `aud` of the tokens that they need for it. */
function agentsResource(issuer: string): string {
  return `${issuer}${paths.agents}`;
}

function agentsRecord(issuer: string): Resource {
  return {
    id: randomUUID(),
    key: agentsKey,
    name: "Agents",
    clientId: builtInClient.id,
    supportedScopes: [agentsScope],
    ...defaultsOf(resourceShape),
    allowsBearer: true,
    agentCalls: false,
    builtIn: true,
    ...agentsAddress(issuer),
  };
}

function agentsAddress(issuer: string) {
  const resource = agentsResource(issuer);
  return { resource, authorizationServer: issuer, requestPrefixes: [resource] };
}

/**
 * Creates the records that every installation has, and leaves existing ones alone, except that the address for agents is the one
 * that the server has now.
 *
 * Processes that start together may all call it: each record is created once, and audited by who created it.
 */
export async function createDefaultRecords(
  store: Store,
  { issuer, at }: { readonly issuer: string; readonly at: Date },
): Promise<void> {
  await store.transaction(async (tx) => {
    const created: string[] = [];
    for (const scope of systemScopes) {
      if (await tx.scopes.insertMissing(scope, at)) created.push(`scope ${scope.key}`);
    }
    if (await tx.clients.insertMissing(builtInClient, at)) created.push(`client ${builtInClient.id}`);
    if (await tx.resources.insertMissing(agentsRecord(issuer), at)) created.push(`resource ${agentsKey}`);
    else await followIssuer(tx, { issuer, at });
    if (await tx.settings.insertMissing({ installationName: "Authz" }, at)) created.push("settings");
    if (created.length === 0) return;
    await recordAudit(tx, {
      type: "defaults.created",
      outcome: "success",
      actor: { type: "system" },
      at,
      data: { records: created },
    });
  });
}

/** A server that has moved is at another address for agents, too. */
async function followIssuer(
  store: Store,
  { issuer, at }: { readonly issuer: string; readonly at: Date },
): Promise<void> {
  const before = await store.resources.findByKey(agentsKey);
  if (before?.builtIn !== true || before.resource === agentsResource(issuer)) return;
  const after = { ...before, ...agentsAddress(issuer) };
  await store.resources.save(after, at);
  await recordAudit(store, {
    type: "resource.changed",
    outcome: "success",
    actor: { type: "system" },
    at,
    data: { key: agentsKey, fields: changedFields(before, after) },
  });
}
