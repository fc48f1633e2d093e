/** The reasons that RFC 7644 §3.12 has names for, as far as this server uses them. */
export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** A refusal as a SCIM error. Administrators of the provider read `detail`, so it names the remedy. */
export class ScimError extends Error {
  override readonly name = "ScimError";
  readonly status: number;
  readonly scimType: ScimType | undefined;
  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
  }
}

/** A 400 with its reason. */
export function refused(scimType: ScimType, detail: string): ScimError {
  return new ScimError(scimType === "uniqueness" ? 409 : 400, detail, scimType);
}

/** The body of an error (RFC 7644 §3.12); the status is a text there. */
export function errorBody({ status, scimType, message }: ScimError): object {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: message,
  };
}
