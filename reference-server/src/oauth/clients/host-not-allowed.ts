import { OAuthError } from "../../protocol/oauth-error.js";

/** An app comes from a host that nobody has allowed. Nothing of it was fetched. */
export class HostNotAllowedError extends OAuthError {
  readonly clientId: string;
  /** In punycode. */
  readonly host: string;
  constructor({ clientId, host }: { readonly clientId: string; readonly host: string }) {
    super(
      "invalid_client",
      "host_not_allowed",
      `Apps from ${host} are not allowed here. An administrator can allow the host.`,
    );
    this.clientId = clientId;
    this.host = host;
  }
}
