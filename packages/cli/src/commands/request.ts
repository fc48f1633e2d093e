import { type AuthorizedRequest, type AuthzClient, isRepeatable, type TransportAnswer } from "@authz/client";
import { InvalidArgumentError, Option } from "commander";
import { exitCodes } from "../exit-code.js";
import { CliError } from "../messages/cli-error.js";
import { counted, formatBytes, transferProgress } from "../output/transfer-progress.js";
import { openClient } from "../profile/open-client.js";
import { type CommandContext, type CommandTree, collect } from "./command.js";
import { buildBody } from "./request/body.js";
import { answeredRequest, failureOf, isSuccess } from "./request/failure.js";
import { readAnswerBody } from "./request/read-answer.js";
import { paginationStyles, type RequestOptions } from "./request/request-options.js";
import { requireRepeatable, requireRepeatableBody, sendWithRetries } from "./request/retry.js";
import { writeBody } from "./request/write-body.js";

/** `authz request` */
export function addRequest({ add, action }: CommandTree): void {
  add("request <url>", "Call a registered service or a connected third party.", [
    "authz request --scope contracts:read https://contracts.example.com/api/contracts",
    `authz request -X POST --scope contracts:write -d '{"customer":"Acme"}' https://…/api/contracts`,
    "authz request --paginate cursor https://…/api/contracts",
    "authz request -T report.pdf https://…/api/files/report.pdf",
    "authz request --connection github https://api.github.com/user/repos",
  ])
    .option("-X, --method <method>", "GET by default, POST with -d and -F, PUT with -T")
    .option("-s, --scope <scope>", "permission the request needs; repeat for more", collect, [])
    .option("--connection <name>", "call a third party with your account there")
    .option("-H, --header <header>", 'a header like "Accept: text/csv"; repeat for more', collect, [])
    .option("-d, --data <data>", "body: text, @file, or @- for standard input")
    .option("-T, --upload-file <file>", "body: a file, streamed; - for standard input")
    .option("-F, --form <field>", "form field: name=value or name=@file; repeat for more", collect, [])
    .option("-o, --output <file>", "save the answer as a file")
    .option("-i, --include", "also print the head of the answer")
    .option("--jq <filter>", "filter the answer with a jq expression")
    .option("--retry <times>", "try again when the service is temporarily unavailable", wholeNumber)
    .option(
      "--timeout <seconds>",
      "give up when no data arrives for this long; default 30, or 60 with --connection",
      wholeNumber,
    )
    .addOption(
      new Option("--paginate <kind>", "collect all pages: link, cursor or offset").choices(paginationStyles),
    )
    .option("--page-size <items>", "items per page for cursor and offset; default 100", wholeNumber)
    .option("--max-pages <pages>", "stop after this many pages; default 100", wholeNumber)
    .option("--dry-run", "show which service, rule and permissions apply, and send nothing")
    .action(action(request));
}

type Send = (url: string) => Promise<TransportAnswer>;

/** How a request gets to where it is meant for, and what its failures mean. */
interface Destination {
  plan: () => Promise<number>;
  send: () => Send;
  failureOf: (answer: TransportAnswer, url: string) => Promise<CliError>;
}

/** Calls a registered service with the permissions of the person who signed in, or a third party with their account there. */
async function request(context: CommandContext, url: string, options: RequestOptions): Promise<number> {
  const { client } = await openClient(context.runtime, context.profile);
  const destination = await chooseDestination(context, client, url, options);
  requireFitting(options);
  if (options.dryRun === true) return await destination.plan();
  if (options.output !== undefined)
    await (await import("./request/save-answer.js")).requireSavable(options.output);
  const filter =
    options.jq === undefined
      ? undefined
      : await (await import("./request/jq-filter.js")).openJqFilter(options.jq);
  const send = destination.send();
  if (options.paginate !== undefined) {
    const { collectAll } = await import("./request/all-pages.js");
    return await collectAll(context, url, options, { ...destination, send, filter, show });
  }
  const answer = await send(url);
  if (filter !== undefined && isSuccess(answer)) {
    const { showFiltered } = await import("./request/show-filtered.js");
    await showFiltered(context, { url, options, answer, filter });
    return exitCodes.ok;
  }
  await show(context, url, options, answer);
  if (!isSuccess(answer)) throw await destination.failureOf(answer, url);
  return exitCodes.ok;
}

/** Refuses options that mean nothing together, before anything is sent. @throws {CliError} `usage` */
function requireFitting({ jq, include, output, paginate }: RequestOptions): void {
  const problem =
    jq !== undefined && output !== undefined
      ? "-o saves the answer as it came: leave out --jq, or save what is printed with > FILE."
      : include === true && paginate !== undefined
        ? "-i prints the head of one answer, and --paginate makes a list of many: leave out one of them."
        : undefined;
  if (problem === undefined) return;
  throw new CliError("usage", {
    what: "Two options do not go together, so nothing was sent.",
    hint: problem,
    exitCode: exitCodes.usage,
  });
}

async function chooseDestination(
  context: CommandContext,
  client: AuthzClient,
  url: string,
  options: RequestOptions,
): Promise<Destination> {
  if (options.connection === undefined) {
    const built = await buildRequest(context, url, options);
    const sendOnce: Send = async (address) => await client.authorizedRequest({ ...built, url: address });
    return {
      plan: async () => await dryRun(context, client, built),
      send: () => createSend(context, built, { ...options, sendOnce }),
      failureOf: async (answer, address) =>
        failureOf(
          answer,
          await answeredRequest(client, { ...built, url: address }, context.runtime.clock()),
          { canRetry: options.retry === undefined },
        ),
    };
  }
  // Kept free of modules that a request to a service needs, too: each shared one would be a file more to load for it.
  const { connectionOf, forConnection, planThrough } = await import("./request/through-connection.js");
  const connection = connectionOf(options);
  const built = forConnection(await buildRequest(context, url, options), connection);
  const sendOnce: Send = async (address) => await client.connections.request({ ...built, url: address });
  return {
    plan: async () => await planThrough(context, client, built),
    send: () => createSend(context, built, { ...options, sendOnce, onlyUnsent: true }),
    failureOf: async (answer, address) =>
      failureOf(answer, {
        url: address,
        method: built.method ?? "GET",
        connection,
        now: context.runtime.clock(),
      }),
  };
}

async function buildRequest(
  context: CommandContext,
  url: string,
  options: RequestOptions,
): Promise<AuthorizedRequest> {
  const { runtime, output } = context;
  const headers = options.header.map(parseHeader);
  const has = (name: string): boolean => headers.some(([given]) => given.toLowerCase() === name);
  const body = await buildBody(options, runtime);
  if (body !== undefined && !has("content-type")) headers.push(["content-type", body.contentType]);
  if (!has("accept")) headers.push(["accept", "application/json, */*;q=0.5"]);
  if (!has("user-agent")) headers.push(["user-agent", "authz-cli"]);
  const built: AuthorizedRequest = {
    url,
    method: options.method ?? body?.method ?? "GET",
    headers,
    scopes: options.scope,
    // Readers of the output, such as agents, must not see a credential that a service repeats.
    hideCredentials: true,
    ...(options.timeout === undefined ? {} : { timeoutSeconds: options.timeout }),
  };
  if (body === undefined) return built;
  const { body: bytes, bodyLength } = body;
  if (typeof bytes === "string" || bytes instanceof Uint8Array) return { ...built, body: bytes };
  const onBytes = transferProgress(output, runtime.clock, { verb: "Sent", total: bodyLength });
  return {
    ...built,
    body: counted(bytes, onBytes),
    ...(bodyLength === undefined ? {} : { bodyLength }),
  };
}

function parseHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(":");
  if (colon > 0) return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  throw new CliError("usage", {
    what: `"${text}" is not a header.`,
    hint: 'Write it like this: -H "Accept: application/json"',
    exitCode: exitCodes.usage,
  });
}

/** Sends, and again as far as that is asked for. A request that may have reached a third party is never sent again, not even a GET. */
function createSend(
  { runtime, output }: CommandContext,
  { method = "GET", body }: Pick<AuthorizedRequest, "method" | "body">,
  { retry = 0, sendOnce, onlyUnsent = false }: { retry?: number; sendOnce: Send; onlyUnsent?: boolean },
): Send {
  if (retry > 0 && onlyUnsent) requireRepeatableBody(isRepeatable(body));
  else if (retry > 0) requireRepeatable(method, isRepeatable(body));
  return async (url) =>
    await sendWithRetries(async () => await sendOnce(url), {
      retries: retry,
      onlyUnsent,
      pause: runtime.pause,
      clock: runtime.clock,
      onWait: (seconds, reason) =>
        output.note(output.quiet(`${reason} Trying again in ${String(seconds)} s.`)),
      onGivingUp: (seconds, reason) => {
        const moment = new Date(runtime.clock() + seconds * 1000).toISOString().slice(0, 19);
        output.note(
          `${reason} It asks to wait ${String(seconds)} s, which is too long for a command. Try again after ${moment}Z.`,
        );
      },
    });
}

/** A successful answer goes where it was asked for; the body of a failure always goes to stdout. */
async function show(
  context: CommandContext,
  url: string,
  options: RequestOptions,
  answer: TransportAnswer,
): Promise<void> {
  const { runtime, output } = context;
  const { status, headers } = answer;
  const { host } = new URL(url);
  if (options.include === true && !output.json)
    (await import("./request/answer-head.js")).showHead(answer, host, context);
  if (options.output !== undefined && isSuccess(answer)) {
    const { saveAnswer } = await import("./request/save-answer.js");
    const total = Number(headers["content-length"] ?? Number.NaN);
    const progress = transferProgress(output, runtime.clock, {
      verb: "Received",
      total: Number.isNaN(total) ? undefined : total,
    });
    const bytes = await saveAnswer(answer.body, options.output, progress);
    if (output.json) output.data({ status, url, headers, file: options.output, bytes });
    else output.note(`Saved ${formatBytes(bytes)} as ${options.output}.`);
  } else if (output.json) {
    const { values, texts } = await readAnswerBody(answer);
    output.data({ status, url, headers, ...values }, texts);
  } else {
    await writeBody(answer, host, context);
  }
}

/** Shows which service, rule and permissions apply, and sends nothing to the service. */
async function dryRun(
  { output, offer }: CommandContext,
  client: AuthzClient,
  built: AuthorizedRequest,
): Promise<number> {
  const { method, url, resource, prefix, scopes, missingScopes } = await client.planRequest(built);
  const { key, name } = resource;
  const allowed = missingScopes.length === 0;
  if (output.json) {
    output.data({ method, url, resource: { key, name }, prefix, scopes, missingScopes, allowed });
  } else {
    const missing = `${missingScopes.join(", ")} ${missingScopes.length > 1 ? "are" : "is"} missing`;
    output.facts([
      ["Request", `${method} ${url}`],
      ["Service", `${name} (${key})`],
      ["Rule", prefix],
      ["Scopes", scopes.join(", ")],
      ["Allowed", allowed ? "yes" : `no, ${missing}`],
    ]);
    output.note(output.quiet("Nothing was sent."));
    if (!allowed) output.note(`Whom to ask: ${offer({ do: "explain", url, scopes: missingScopes })}`);
  }
  return allowed ? exitCodes.ok : exitCodes.notAllowed;
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number above 0.");
}
