/** What the client does behind a call, for logs and progress. No event carries a token. */
export type AuthzClientEvent =
  | { type: "session_renewed" }
  | { type: "service_token_obtained"; resource: string; scopes: readonly string[] }
  | { type: "request_retried"; url: string; reason: "nonce" | "expired_token" };

export type AuthzClientEventListener = (event: AuthzClientEvent) => void;
