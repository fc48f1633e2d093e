import { isUndecided, messageFor, whomToAsk } from "@authz/agent-tools";
import type { AuthzClient, Me, PermissionExplanation, RequestPlan } from "@authz/client";

/** Everything that is known about whether a request is allowed. */
export interface Answer {
  plan: RequestPlan;
  explanation: PermissionExplanation;
  me: Me;
  /** Whether the person named the scopes; otherwise they are all of the service. */
  asked: boolean;
}

/** Asks the server now, because people ask why right after something was changed; the kept list of services may be older. */
export async function loadAnswer(
  client: AuthzClient,
  url: string,
  asked: readonly string[] | undefined,
): Promise<Answer> {
  await client.resources();
  const named = asked !== undefined && asked.length > 0;
  const plan = await client.planRequest({
    url,
    scopes: named ? asked : (await client.resourceFor(url)).supportedScopes,
  });
  const { resource, scopes } = plan;
  const [explanation, me] = await Promise.all([
    client.explain({ resource: resource.key, scopes }),
    client.me(),
  ]);
  return { plan, explanation, me, asked: named };
}

/** The answer as JSON. */
export function documentFor(answer: Answer): object {
  const { plan, explanation } = answer;
  const { key, name, grantedScopes } = plan.resource;
  const { allowed, granted, missing, administrators } = explanation;
  return {
    url: plan.url,
    allowed,
    resource: { key, name },
    prefix: plan.prefix,
    scopes: plan.scopes,
    missingScopes: missing.filter((scope) => !isUndecided(scope)).map(({ scope }) => scope),
    undecidedScopes: missing.filter(isUndecided).map(({ scope }) => scope),
    grantedScopes,
    granted,
    missing,
    administrators,
    ask: whomToAsk(answer) ?? null,
    message: messageFor(answer) ?? null,
    requestable: explanation.requestable ?? false,
    request: explanation.request ?? null,
    rules: explanation.rules ?? [],
  };
}
