import { eventWords } from "authz-server/dist/audit/event-words.js";
import type { Client } from "pg";

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly outcome: string;
  readonly actorType: string;
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly clientId: string | null;
  readonly requestId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
}

/** Compares the words of a thousand events with those that the server would have stored. */
export async function checkWords(database: Client): Promise<void> {
  const { rows } = await database.query<StoredEvent>(`
    SELECT id::text, type, outcome, actor_type AS "actorType", actor_id AS "actorId", subject, client_id AS "clientId",
      request_id AS "requestId", data, tsvector_to_array(words) AS words
    FROM audit_events JOIN audit_search ON event_id = id
    WHERE id % greatest((SELECT max(event_id) FROM audit_search) / 1000, 1) = 77`);
  const names = new Map<
    string,
    Parameters<typeof eventWords>[1] extends ReadonlyMap<string, infer Name> ? Name : never
  >();
  const { rows: named } = await database.query(`
    SELECT id::text, 'user' AS type, NULL AS key, email, name FROM users
    UNION ALL SELECT id, 'client', NULL, NULL, name FROM clients
    UNION ALL SELECT resource, 'resource', key, NULL, name FROM resources`);
  for (const name of named) names.set(name.id, name);
  for (const event of rows) {
    const expected = [...eventWords(event as unknown as Parameters<typeof eventWords>[0], names)].toSorted();
    const found = [...event.words].toSorted();
    if (expected.join(" ") !== found.join(" ")) {
      throw new Error(
        `Event ${event.id} has the words\n${found.join(" ")}\nand the server gives it\n${expected.join(" ")}`,
      );
    }
  }
  if (rows.length < 100) throw new Error("There are too few events to check.");
}
