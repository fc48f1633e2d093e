import "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Superuser URL of a throw-away PostgreSQL 16, shared by the whole run. Create a database of your own in it. */
    postgresUrl: string;
  }
}
