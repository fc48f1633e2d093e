import "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Superuser URL of a throw-away PostgreSQL 16, shared by the whole run. Create a database of your own in it. */
    postgresUrl: string;
    /** The folder that the run removes at its end. `tmpdir()` is the same in every test. */
    temporaryFolder: string;
  }
}
