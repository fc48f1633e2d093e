import { Command } from "commander";
import type { CommandHost } from "./command-host.js";
import { toMoment } from "./moment-argument.js";
import { type RestoredKind, restoredKinds } from "../store/restored-records.js";
import { type EndedRecords, endRestored } from "../upkeep/end-restored.js";

/** Creates `authz-server after-restore`, which an operator runs once a backup is restored. */
export function createAfterRestoreCommand({
  withInstallation,
  print,
}: Pick<CommandHost, "withInstallation" | "print">): Command {
  return new Command("after-restore")
    .description(
      "end every grant, session, code and key that a restored backup has brought back; everybody signs in again",
    )
    .requiredOption(
      "--before <moment>",
      'what was issued before it ends: "now", or a moment such as 2026-11-20T12:00:00Z',
      (text) => (text === "now" ? text : toMoment(text)),
    )
    .action(({ before }: { before: Date | "now" }) =>
      withInstallation(async (context) => {
        const done = await endRestored(before, context);
        const connections = (await context.store.sealedSecrets.countByKey("connections")).reduce(
          (sum, { count }) => sum + count,
          0,
        );
        print(describe(done, connections));
      }),
    );
}

const names: Readonly<Record<RestoredKind, string>> = {
  grants: "signed-in apps",
  browserSessions: "browser sessions",
  consents: "consents that were remembered",
  deviceAuthorizations: "device codes",
  authorizationCodes: "authorization codes",
  authorizationRequests: "authorization requests, with the consent pages that wait",
  signInAttempts: "sign-ins in progress",
  connectionAttempts: "attempts to connect an account",
};

function describe({ before, ended, retiredKeys, newKey }: EndedRecords, connections: number): string {
  const lines = [`Everything that was issued before ${before.toISOString()} has ended:`];
  for (const kind of restoredKinds.toReversed())
    lines.push(`${String(ended[kind]).padStart(9)}  ${names[kind]}`);
  lines.push(`${String(retiredKeys.length).padStart(9)}  signing keys`);
  if (newKey !== undefined)
    lines.push(
      `${newKey} signs from now on. Servers follow within ten seconds, services within ten minutes.`,
    );
  if (connections > 0) {
    lines.push(
      `${connections} connected accounts at third parties stay. Those whose tokens were renewed after the backup ask to be connected again.`,
    );
  }
  lines.push(
    "Not undone: people, clients and permissions that were disabled or removed after the backup are back. Disable or remove them again.",
  );
  return `${lines.join("\n")}\n`;
}
