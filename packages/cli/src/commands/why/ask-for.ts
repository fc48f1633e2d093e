import { type AccessRequest, type AuthzClient, AuthzClientError } from "@authz/client";

/** What is asked of administrators. */
export interface Wish {
  url: string;
  /** The third party, for an address of one. */
  connection: string | undefined;
  scopes: readonly string[];
  reason: string;
}

/** Asks for what is missing at the service of an address, or to use a third party. A refusal knows the address, about which more can be said. */
export async function askFor(
  client: AuthzClient,
  { url, connection, scopes, reason }: Wish,
): Promise<AccessRequest> {
  const target =
    connection === undefined ? { resource: (await client.resourceFor(url)).key } : { connector: connection };
  try {
    return await client.askForAccess({ ...target, scopes, reason });
  } catch (error) {
    throw error instanceof AuthzClientError && error.reason === "access_request_refused"
      ? error.with({ url })
      : error;
  }
}
