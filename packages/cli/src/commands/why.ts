import type { Me, RequestPlan } from "@authz/client";
import { EXIT } from "../exit-code.js";
import { openClient } from "../session/open-client.js";
import type { CommandContext } from "./command.js";

/** Options of `authz why`. */
export interface WhyOptions {
  scope: readonly string[];
}

/** Explains whether a request would be allowed: which service and rule cover it, what is missing, and whom to ask. */
export async function why(context: CommandContext, url: string, options: WhyOptions): Promise<number> {
  const { surroundings, output, profile } = context;
  const { client } = await openClient(surroundings, profile);
  // The newest list, not the kept one: people ask why right after something was changed.
  await client.resources();
  const asked = options.scope.length > 0 ? options.scope : undefined;
  const scopes = asked ?? (await client.resourceFor(url)).supportedScopes;
  const plan = await client.planRequest({ url, scopes });
  const me = await client.me();
  const { installation } = me;
  const { resource, prefix, missingScopes } = plan;
  const allowed = missingScopes.length === 0;
  const message = requestFor(plan, me);
  if (output.json) {
    output.data({
      url: plan.url,
      allowed,
      resource: { key: resource.key, name: resource.name },
      prefix,
      scopes,
      missingScopes,
      grantedScopes: resource.grantedScopes,
      ask: allowed ? null : `an administrator of ${installation.name}`,
      message: message ?? null,
    });
  } else {
    output.text(verdict(plan, asked !== undefined, installation.name));
    output.facts([
      ["Service", `${resource.name} (${resource.key})`],
      ["Rule", prefix],
      ["You have", resource.grantedScopes.join(", ") || "no permission there"],
      ["Tell them", message],
    ]);
  }
  return allowed ? EXIT.ok : EXIT.notAllowed;
}

/** What to tell the administrator, ready to be passed on; undefined when nothing could be given. */
function requestFor({ missingScopes, resource }: RequestPlan, me: Me): string | undefined {
  const wanted = missingScopes.filter((scope) => resource.supportedScopes.includes(scope));
  if (wanted.length === 0) return undefined;
  const permissions = `permission${wanted.length > 1 ? "s" : ""} ${wanted.join(", ")}`;
  return `Please give ${me.email ?? me.name ?? me.subject} the ${permissions} for ${resource.name}.`;
}

function verdict(
  { missingScopes, scopes, resource }: RequestPlan,
  asked: boolean,
  installation: string,
): string {
  const missing = missingScopes.join(", ");
  if (missingScopes.length === 0) return `You may do this: you have ${scopes.join(", ")}.`;
  const unknown = missingScopes.filter((scope) => !resource.supportedScopes.includes(scope));
  if (unknown.length > 0)
    return `${unknown.join(", ")} is not a permission of ${resource.name}. It has ${resource.supportedScopes.join(", ")}.`;
  const lead = asked ? `${missing} is missing.` : `Of this service's permissions, ${missing} is missing.`;
  return `${lead} Ask an administrator of ${installation} to give it to you.`;
}
