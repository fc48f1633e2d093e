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
