import { Command, InvalidArgumentError } from "commander";
import type { ServerContext } from "../context.js";
import { exportEvents, exportSeals } from "./export-events.js";
import { deriveSealKey } from "./seal.js";
import { judgeAuditTrail } from "./verdict.js";

/** Opens the installation for reading and closes it afterwards. */
export type WithReader = (work: (context: ServerContext) => Promise<void>) => Promise<void>;

/** Where the command's results go. */
export interface CommandOutput {
  readonly print: (text: string) => void;
  readonly printLines: (lines: AsyncIterable<string>) => Promise<void>;
  readonly exitWith: (code: number) => void;
}

/** Creates `authz-server audit`, with which an operator checks and exports the audit trail. */
export function createAuditCommand(withReader: WithReader, output: CommandOutput): Command {
  const audit = new Command("audit").description("check and export the audit trail");

  audit
    .command("verify")
    .description("compare every event with its seal: exit code 0 when intact, 2 when tampered with")
    .option("--contains <digest>", "the chain must contain this digest, from an earlier run or from the log")
    .action(({ contains }: { contains?: string }) =>
      withReader(async ({ store, config }) => {
        const sealKey = deriveSealKey(config.credentialEncryptionKey);
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

  return audit;
}

async function* lineByLine(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** A date is its midnight in UTC; a time needs its zone. */
function toMoment(text: string): Date {
  const moment = new Date(text);
  if (!/^\d{4}-\d\d-\d\d(T.+(Z|[+-]\d\d:\d\d))?$/.test(text) || Number.isNaN(moment.getTime())) {
    throw new InvalidArgumentError("Expected: 2026-11-20 or 2026-11-20T12:00:00Z.");
  }
  return moment;
}
