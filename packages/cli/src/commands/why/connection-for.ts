import { type AuthzClient, AuthzClientError } from "@authz/client";

/** The connection that covers an address which no service covers. Without one, the service's own refusal says more. */
export async function connectionFor(
  client: AuthzClient,
  url: string,
  { scope }: { scope: readonly string[] },
): Promise<string | undefined> {
  if (scope.length > 0) return undefined;
  try {
    await client.resourceFor(url);
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthzClientError) || error.code !== "url_not_registered") throw error;
    if (error.facts.connection === undefined) throw error;
    return error.facts.connection;
  }
}
