import { type Database, prepared } from "./postgres/database.js";

/** What is about to begin: for a person, through a client, at a service. */
interface Beginning {
  readonly userId: string | null;
  readonly clientId: string;
  /** The identifier of the service; `undefined`: this server's own API. */
  readonly resource: string | undefined;
}

const appliesSql = `
  SELECT is_stopped($1, $2, (SELECT id FROM resources WHERE resource = $3), now()) AS stopped`;

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
