import { Command } from "commander";
import type { CommandHost } from "./command-host.js";
import { toMoment } from "./moment-argument.js";
import { removeArchived } from "../audit/archive/remove-archived.js";
import { writeArchive } from "../audit/archive/write-archive.js";
import { exportEvents, exportSeals } from "../audit/export-events.js";
import { judgeArchives, judgeAuditTrail } from "../audit/verdict.js";

/** Creates `authz-server audit`, with which an operator checks, exports and archives the audit trail. */
export function createAuditCommand(host: CommandHost): Command {
  const { withReader, print, printLines, exitWith } = host;
  const audit = new Command("audit").description("check, export and archive the audit trail");

  audit
    .command("verify")
    .description("compare every event with its seal: exit code 0 when intact, 2 when tampered with")
    .option("--contains <digest>", "the chain must contain this digest, from an earlier run or from the log")
    .action(({ contains }: { contains?: string }) =>
      withReader(async ({ store, openSealKey }) => {
        const sealKey = await openSealKey();
        const digest = contains === undefined ? {} : { digest: contains.toLowerCase() };
        const { text, exitCode } = await judgeAuditTrail(store, { sealKey, ...digest });
        print(text);
        exitWith(exitCode);
      }),
    );

  audit
    .command("export")
    .description("print events as lines of JSON, oldest first")
    .option(
      "--from <moment>",
      "events from this moment on, such as 2026-11-20 or 2026-11-20T12:00:00Z",
      toMoment,
    )
    .option("--to <moment>", "events before this moment", toMoment)
    .action(({ from, to }: { from?: Date; to?: Date }) =>
      withReader(({ store }) => {
        const time = { ...(from !== undefined && { from }), ...(to !== undefined && { until: to }) };
        return printLines(lineByLine(exportEvents(store, time)));
      }),
    );

  audit
    .command("seals")
    .description("print the seals as lines of JSON: with the exported events, all that checking them needs")
    .action(() => withReader(({ store }) => printLines(lineByLine(exportSeals(store)))));

  addArchiveCommands(audit, host);
  return audit;
}

/** Commands that move the oldest part of the trail into an archive, check it there, and remove it from the database. */
function addArchiveCommands(
  audit: Command,
  { withReader, withInstallation, print, exitWith }: CommandHost,
): void {
  audit
    .command("archive")
    .description("write the oldest events with their seals into a new file; nothing is removed")
    .requiredOption("--before <moment>", "what was sealed before this moment, such as 2026-01-01", toMoment)
    .requiredOption("--file <file>", "the new file")
    .action(({ before, file }: { before: Date; file: string }) =>
      withReader(async ({ store, openSealKey }) => {
        const sealKey = await openSealKey();
        const { seals, events, last } = await writeArchive({ file, before, sealKey }, store);
        print(
          `${events} events with ${seals} seals are in ${file}, up to event ${last?.lastEventId ?? ""}.\n` +
            'Check it with "authz-server audit verify-archive", keep it, and then run "authz-server audit remove".\n',
        );
      }),
    );

  audit
    .command("verify-archive")
    .description("compare archives with their seals: exit code 0 when intact, 2 when tampered with")
    .argument("<files...>", "archives that follow each other, the oldest first")
    .option(
      "--contains <digest>",
      "the archives must contain this digest, from an earlier run or from the log",
    )
    .action((files: string[], { contains }: { contains?: string }) =>
      withReader(async ({ openSealKey }) => {
        const sealKey = await openSealKey();
        const digest = contains === undefined ? {} : { digest: contains.toLowerCase() };
        const { text, exitCode } = await judgeArchives(files, { sealKey, ...digest });
        print(text);
        exitWith(exitCode);
      }),
    );

  audit
    .command("remove")
    .description("remove from the database what an archive contains; the chain continues after it")
    .requiredOption("--archive <file>", "a file that audit archive wrote, and that is kept elsewhere as well")
    .action(({ archive }: { archive: string }) =>
      withInstallation(async ({ store, openSealKey, clock }) => {
        const sealKey = await openSealKey();
        const { events, seals } = await removeArchived(archive, { store, sealKey, clock });
        print(`${events} events and ${seals} seals were removed. Keep ${archive}: it is their only copy.\n`);
      }),
    );
}

async function* lineByLine(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
