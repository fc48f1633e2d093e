import type { ClientContext } from "../client-context.js";
import { loadServerMetadata } from "../discovery.js";
import { sendForm } from "../tokens/token-endpoint.js";
import type { Session } from "./session.js";

/**
 * Tells the server that a session is over (RFC 7009). Answers whether the server knows: it may offer no revocation, or not be
 * reachable, and neither keeps anybody from signing out here.
 */
export async function revokeSession(context: ClientContext, session: Session): Promise<boolean> {
  try {
    const { revocationEndpoint } = await loadServerMetadata(context, session.issuer);
    if (revocationEndpoint === undefined) return false;
    const answer = await sendForm(context.transport, revocationEndpoint, {
      form: {
        token: session.refreshToken,
        token_type_hint: "refresh_token",
        client_id: session.clientId,
      },
    });
    answer.discard();
    return answer.status === 200;
  } catch {
    return false;
  }
}
