import { type Database, prepared } from "./postgres/database.js";

/** What is about to begin: for a person, through a client, at a service. */
interface Beginning {
  readonly userId: string | null;
  readonly clientId: string;
  /** The identifier of the service; `undefined`: this server's own API. */
  readonly resource: string | undefined;
}

/** Whether a stop applies to what began at a time, as SQL over columns or parameters. */
export const isStoppedSql = (user: string, client: string, resource: string, began: string): string =>
  `EXISTS (SELECT FROM applicable_stops(${user}, ${client}, ${resource}, ${began}))`;

const appliesSql = `
  SELECT ${isStoppedSql("$1", "$2", "r.id", "now()")} AS stopped
  FROM (VALUES ($3)) AS named (resource) LEFT JOIN resources r USING (resource)`;

/** What an administrator, or a person of their own, has stopped. Grants have it read beside them. */
export function createStopStore(database: Database) {
  return {
    /** Whether a stop applies to something that would begin now. */
    async applies({ userId, clientId, resource }: Beginning): Promise<boolean> {
      const values = [userId, clientId, resource ?? null];
      const statement = { name: "stop_applies", text: appliesSql, values };
      const [row] = await prepared<{ stopped: boolean }>(database, statement);
      return row?.stopped === true;
    },
  };
}
