/**
 * The codes of the log. The P codes are the specification's; P1010 means that the database user may not
 * create tables, and the AUTHZ codes are about a schema that does not belong to this version.
 */
export type MigrationErrorCode =
  | "P1001"
  | "P1010"
  | "P3005"
  | "P3009"
  | "P3018"
  | "AUTHZ_DATABASE_VERSION"
  | "AUTHZ_MIGRATION_CHANGED"
  | "AUTHZ_SCHEMA_NEWER"
  | "AUTHZ_SCHEMA_OLDER";

/** The schema cannot be brought up to date. `message` is the cause, `remedy` what to do. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
  readonly code: MigrationErrorCode;
  readonly remedy: string;
  /** The name of the migration that is concerned. */
  readonly migration: string | undefined;
  constructor(
    code: MigrationErrorCode,
    text: { readonly cause: string; readonly remedy: string; readonly migration?: string },
    options?: ErrorOptions,
  ) {
    super(text.cause, options);
    this.code = code;
    this.remedy = text.remedy;
    this.migration = text.migration;
  }
}
