import { Command } from "commander";
import type { ServerContext } from "../context.js";
import { toMoment } from "./moment-argument.js";
import { removeArchived } from "../audit/archive/remove-archived.js";
import { writeArchive } from "../audit/archive/write-archive.js";
import { exportEvents, exportSeals } from "../audit/export-events.js";
import { judgeArchives, judgeAuditTrail } from "../audit/verdict.js";

type WithContext = (work: (context: ServerContext) => Promise<void>) => Promise<void>;

/** What the command works with. */
export interface AuditCommandSources {
  /** Opens the installation for reading and closes it afterwards. */
  readonly withReader: WithContext;
  /** Opens the installation for one command and closes it afterwards. */
  readonly withInstallation: WithContext;
}

/** Where the command's results go. */
export interface CommandOutput {
  readonly print: (text: string) => void;
  readonly printLines: (lines: AsyncIterable<string>) => Promise<void>;
  readonly exitWith: (code: number) => void;
}

/** Creates `authz-server audit`, with which an operator checks, exports and archives the audit trail. */
export function createAuditCommand(sources: AuditCommandSources, output: CommandOutput): Command {
  const { withReader } = sources;
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
        output.print(text);
        output.exitWith(exitCode);
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
        return output.printLines(lineByLine(exportEvents(store, time)));
      }),
    );

  audit
    .command("seals")
    .description("print the seals as lines of JSON: with the exported events, all that checking them needs")
    .action(() => withReader(({ store }) => output.printLines(lineByLine(exportSeals(store)))));

  addArchiveCommands(audit, sources, output);
  return audit;
}

/** What gives the trail an end: an archive that is checked by itself, and then removed from the database. */
function addArchiveCommands(audit: Command, sources: AuditCommandSources, output: CommandOutput): void {
  const { withReader, withInstallation } = sources;

  audit
    .command("archive")
    .description("write the oldest events with their seals into a new file; nothing is removed")
    .requiredOption("--before <moment>", "what was sealed before this moment, such as 2026-01-01", toMoment)
    .requiredOption("--file <file>", "the new file")
    .action(({ before, file }: { before: Date; file: string }) =>
      withReader(async ({ store, openSealKey }) => {
        const sealKey = await openSealKey();
        const { seals, events, last } = await writeArchive({ file, before, sealKey }, store);
        output.print(
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
        output.print(text);
        output.exitWith(exitCode);
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
        output.print(
          `${events} events and ${seals} seals were removed. Keep ${archive}: it is their only copy.\n`,
        );
      }),
    );
}

async function* lineByLine(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
