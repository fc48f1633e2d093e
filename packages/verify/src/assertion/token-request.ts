import { AuthzError } from "../errors.js";
import { type PostedForm, parseForm } from "../forms.js";

/** The grant types of the token endpoint. */
export const grantTypes = [
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:jwt-dpop",
] as const;

/** A token request whose form is right. Optional members may only narrow what the assertion grants. */
export interface TokenRequest {
  readonly assertion: string;
  /** The `jwt-dpop` grant is for bound assertions only. */
  readonly bindingRequired: boolean;
  readonly clientId: string | undefined;
  readonly resource: string | undefined;
  /** Not parsed yet: whether it is well-formed is decided after everything about the assertion. */
  readonly scope: string | undefined;
}

const names = ["grant_type", "assertion", "client_id", "resource", "scope"] as const;

/** Reads a token request. @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.1 | RFC 7523 §2.1} */
export function parseTokenRequest(form: PostedForm): TokenRequest {
  const parameters = parseForm(form, names);
  const grantType = parameters.grant_type;
  if (grantType === undefined) throw new AuthzError("invalid_request", "grant_type_missing");
  if (!grantTypes.some((known) => known === grantType)) {
    throw new AuthzError("unsupported_grant_type", "grant_type_unknown");
  }
  if (parameters.assertion === undefined) throw new AuthzError("invalid_request", "assertion_missing");
  return {
    assertion: parameters.assertion,
    bindingRequired: grantType === "urn:ietf:params:oauth:grant-type:jwt-dpop",
    clientId: parameters.client_id,
    resource: parameters.resource,
    scope: parameters.scope,
  };
}
