import type { ConnectionsStage } from "./connections-stage.js";
import type { ServerProcess } from "./installation.js";

/** Five minutes pass for whatever a process has left behind; and what is done in the background has its next round. */
export async function passMinutes(
  { database }: ConnectionsStage,
  servers: readonly ServerProcess[],
): Promise<void> {
  const statements = [
    `UPDATE connections SET refresh_lease_until = refresh_lease_until - ${minutes},
       refresh_not_before = refresh_not_before - ${minutes}, disconnecting_at = disconnecting_at - ${minutes}
     WHERE num_nonnulls(refresh_lease, refresh_not_before, disconnecting_at) > 0`,
    `UPDATE forwarded_calls SET started_at = started_at - ${minutes}, ends_before = ends_before - ${minutes}`,
  ];
  await Promise.all(statements.map((statement) => database.query(statement)));
  for (const { command } of servers) command.kill("SIGCONT");
}

const minutes = "interval '5 minutes'";

/**
 * The same while others are at work: only for what the process that was killed has left behind, which is what nobody
 * has touched between the two calls.
 */
export async function noteLeftBehind({
  database,
}: ConnectionsStage): Promise<{ readonly passMinutes: () => Promise<void> }> {
  const rows = await database.query<{ id: string; lease: string | null; at: Date | null }>(
    `SELECT id, refresh_lease AS lease, disconnecting_at AS at FROM connections
     WHERE num_nonnulls(refresh_lease, disconnecting_at) > 0`,
  );
  return {
    async passMinutes() {
      for (const { id, lease, at } of rows) {
        await database.query(
          `UPDATE connections SET refresh_lease_until = refresh_lease_until - ${minutes},
             disconnecting_at = disconnecting_at - ${minutes}
           WHERE id = $1 AND refresh_lease IS NOT DISTINCT FROM $2 AND disconnecting_at IS NOT DISTINCT FROM $3`,
          [id, lease, at],
        );
      }
    },
  };
}
