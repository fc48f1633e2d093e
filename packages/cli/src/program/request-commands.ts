import { InvalidArgumentError, Option } from "commander";
import { PAGINATION_STYLES, type RequestOptions } from "../commands/request/request-options.js";
import type { WhyOptions } from "../commands/why/why.js";
import { type CommandTree, collect } from "./command-tree.js";

/** `request`, `scopes`, `why`. */
export function addRequestCommands({ add, action }: CommandTree): void {
  add("request <url>", "Call a registered service or a connected third party.", [
    "authz request --scope contracts:read https://contracts.example.com/api/contracts",
    `authz request -X POST --scope contracts:write -d '{"customer":"Acme"}' https://…/api/contracts`,
    "authz request --paginate cursor https://…/api/contracts",
    "authz request -T report.pdf https://…/api/files/report.pdf",
    "authz request --connection github https://api.github.com/user/repos",
  ])
    .option("-X, --method <method>", "GET unless given, POST with -d and -F, PUT with -T")
    .option("-s, --scope <scope>", "permission the request needs; repeat for more", collect, [])
    .option("--connection <name>", "call a third party with your account there")
    .option("-H, --header <header>", 'a header like "Accept: text/csv"; repeat for more', collect, [])
    .option("-d, --data <data>", "body: text, @file, or @- for standard input")
    .option("-T, --upload-file <file>", "body: a file, streamed; - for standard input")
    .option("-F, --form <field>", "form field: name=value or name=@file; repeat for more", collect, [])
    .option("-o, --output <file>", "save the answer as a file")
    .option("-i, --include", "print the head of the answer, too")
    .option("--jq <filter>", "print what a filter of jq makes of the answer")
    .option("--retry <times>", "try again when the service cannot at the moment", wholeNumber)
    .option(
      "--timeout <seconds>",
      "give up when nothing moves for so long; 30 unless given, 60 with --connection",
      wholeNumber,
    )
    .addOption(
      new Option("--paginate <kind>", "collect all pages: link, cursor or offset").choices(PAGINATION_STYLES),
    )
    .option("--page-size <items>", "items per page for cursor and offset; 100 unless given", wholeNumber)
    .option("--max-pages <pages>", "stop after so many pages; 100 unless given", wholeNumber)
    .option("--dry-run", "show which service, rule and permissions apply, and send nothing")
    .action(
      action(async (context, url: string, options: RequestOptions) => {
        const { request } = await import("../commands/request/request.js");
        return await request(context, url, options);
      }),
    );

  add("scopes", "List the permissions of every service, and which of them you have.", [
    "authz scopes",
  ]).action(action(async (context) => await (await import("../commands/scopes.js")).scopes(context)));

  add("why <url>", "Explain whether a request is allowed: what is missing, and whom to ask.", [
    "authz why --scope contracts:write https://contracts.example.com/api/contracts",
    "authz why --connection github https://api.github.com/user/repos",
  ])
    .option("-s, --scope <scope>", "permission to ask about; all of the service unless given", collect, [])
    .option("--connection <name>", "ask about a request to a third party; found by the address unless given")
    .action(
      action(async (context, url: string, options: WhyOptions) => {
        const { why } = await import("../commands/why/why.js");
        return await why(context, url, options);
      }),
    );
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number above 0.");
}
