import { Readable } from "node:stream";
import { indentJson } from "@authz/agent-tools";
import type { TransportAnswer } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import type { CliError } from "../../messages/cli-error.js";
import type { CommandContext } from "../command.js";
import { isSuccess } from "./failure.js";
import type { JqFilter } from "./jq-filter.js";
import { type CollectedPages, collectPages } from "./pages.js";
import { readAnswerBody } from "./read-answer.js";
import type { RequestOptions } from "./request-options.js";
import { writeBody } from "./write-body.js";

/** What it takes to collect pages: how one is sent, what its failure means, and how an answer is shown. */
export interface CollectOptions {
  send: (url: string) => Promise<TransportAnswer>;
  failureOf: (answer: TransportAnswer, url: string) => Promise<CliError>;
  filter: JqFilter | undefined;
  show: (
    context: CommandContext,
    url: string,
    options: RequestOptions,
    answer: TransportAnswer,
  ) => Promise<void>;
}

/** Sends a request page by page, and prints or saves all items as one list. */
export async function collectAll(
  context: CommandContext,
  url: string,
  options: RequestOptions,
  { send, failureOf, filter, show }: CollectOptions,
): Promise<number> {
  const { output } = context;
  // Several pages are asked for at a time. The first that fails is shown.
  let failed: { answer: TransportAnswer; address: string } | undefined;
  const { items, pages } = await collectPages(url, {
    style: options.paginate ?? "link",
    pageSize: options.pageSize ?? 100,
    maxPages: options.maxPages ?? 100,
    fetchPage: async (address) => {
      const answer = await send(address);
      if (!isSuccess(answer) && failed !== undefined) answer.discard();
      else if (!isSuccess(answer)) failed = { answer, address };
      if (!isSuccess(answer)) throw new PageRefused();
      const { body: json = "" } = (await readAnswerBody(answer)).texts;
      return { url: address, headers: answer.headers, json };
    },
  }).catch(async (error: unknown) => {
    if (failed === undefined || !(error instanceof PageRefused)) throw error;
    await show(context, failed.address, options, failed.answer);
    throw await failureOf(failed.answer, failed.address);
  });
  const { host } = new URL(url);
  if (filter !== undefined) {
    const { showResults } = await import("./show-filtered.js");
    const whole = { json: `[${items.join(",")}]`, filter, from: host, facts: { pages } };
    await showResults(context, whole).catch(async (error: unknown) => {
      await showItems(context, host, { items, pages });
      throw error;
    });
    return exitCodes.ok;
  }
  if (options.output === undefined) {
    await showItems(context, host, { items, pages });
    return exitCodes.ok;
  }
  const { saveAnswer } = await import("./save-answer.js");
  const bytes = await saveAnswer(listOf(items), options.output);
  if (output.json) output.data({ pages, file: options.output, bytes });
  else output.note(`Saved ${String(items.length)} items as ${options.output}.`);
  return exitCodes.ok;
}

/** A page was not answered with success: the answer is shown instead of the list. */
class PageRefused extends Error {}

/** Prints the list of all pages, as an answer of the service would be. */
async function showItems(
  context: CommandContext,
  host: string,
  { items, pages }: CollectedPages,
): Promise<void> {
  const { runtime, output } = context;
  if (output.json) return output.data({ pages }, { items: `[${items.join(",")}]` });
  const body = listOf(items, runtime.stdoutIsTerminal && !output.agent);
  const headers = { "content-type": "application/json" };
  await writeBody({ status: 200, headers, body, discard: () => body.destroy() }, host, context);
}

function listOf(items: readonly string[], isIndented = false): Readable {
  const json = `[${items.join(",")}]`;
  return Readable.from([Buffer.from(`${isIndented ? indentJson(json) : json}\n`)]);
}
