import { itemsOf, membersOf, parseLinks } from "@authz/agent-tools";
import { quoted } from "@authz/skills/invisible";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import type { PaginationStyle } from "./request-options.js";

const concurrentPages = 4;

/** One page as it came. */
interface Page {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The compact JSON text that it is; empty when it is none. */
  json: string;
}

/** The items of all pages, each as the JSON text that came. */
export interface CollectedPages {
  items: readonly string[];
  pages: number;
}

export interface PagesOptions {
  style: PaginationStyle;
  pageSize: number;
  maxPages: number;
  fetchPage: (url: string) => Promise<Page>;
}

/**
 * Collects the items of all pages.
 *
 * `link` follows `Link: <…>; rel="next"`, `cursor` sends `nextCursor` back as `cursor`, `offset` counts with `offset` and `limit`, four
 * pages at a time. A page is a list, or an object with a list in `items`.
 */
export async function collectPages(url: string, options: PagesOptions): Promise<CollectedPages> {
  return options.style === "offset" ? await byOffset(url, options) : await byPointer(url, options);
}

async function byPointer(first: string, options: PagesOptions): Promise<CollectedPages> {
  const items: string[] = [];
  const visited = new Set<string>();
  let next: string | undefined =
    options.style === "cursor" ? withParameter(first, "limit", options.pageSize) : first;
  while (next !== undefined) {
    if (visited.has(next)) throw wrongPages("The pages point back to a page that was read before.");
    if (visited.size >= options.maxPages) throw tooManyPages(options.maxPages);
    visited.add(next);
    const page = await options.fetchPage(next);
    for (const item of itemsOfPage(page)) items.push(item);
    next = options.style === "link" ? nextLink(page) : nextByCursor(page, next);
  }
  return { items, pages: visited.size };
}

async function byOffset(
  first: string,
  { pageSize, maxPages, fetchPage }: PagesOptions,
): Promise<CollectedPages> {
  const items: string[] = [];
  for (let start = 0; start < maxPages; start += concurrentPages) {
    const numbers = Array.from({ length: Math.min(concurrentPages, maxPages - start) }, (_, n) => start + n);
    const pages = await Promise.all(
      numbers.map(async (number) => {
        const limited = withParameter(first, "limit", pageSize);
        return itemsOfPage(await fetchPage(withParameter(limited, "offset", number * pageSize)));
      }),
    );
    for (const [index, page] of pages.entries()) {
      for (const item of page) items.push(item);
      if (page.length < pageSize) return { items, pages: start + index + 1 };
    }
  }
  throw tooManyPages(maxPages);
}

function itemsOfPage({ json }: Page): readonly string[] {
  const items = itemsOf(json) ?? itemsOf(membersOf(json).get("items") ?? "");
  if (items !== undefined) return items;
  throw wrongPages('A page is neither a list nor an object with a list in "items".');
}

function nextLink({ url, headers }: Page): string | undefined {
  const link = parseLinks(headers.link ?? "").find(({ relations }) => relations.includes("next"));
  if (link === undefined) return undefined;
  const next = URL.canParse(link.target, url) ? new URL(link.target, url) : undefined;
  if (next?.origin === new URL(url).origin) return next.href;
  throw wrongPages(`The next page would be on another server: ${quoted(link.target)}`);
}

function nextByCursor({ json }: Page, url: string): string | undefined {
  const cursor = JSON.parse(membersOf(json).get("nextCursor") ?? "null") as unknown;
  return typeof cursor === "string" && cursor !== "" ? withParameter(url, "cursor", cursor) : undefined;
}

function withParameter(url: string, name: string, value: string | number): string {
  const changed = new URL(url);
  changed.searchParams.set(name, String(value));
  return changed.href;
}

function wrongPages(why: string): CliError {
  return new CliError("service_failed", {
    what: "The pages of this answer cannot be collected.",
    why,
    hint: "Choose another kind of --paginate, or read page by page.",
    exitCode: exitCodes.failure,
  });
}

function tooManyPages(maxPages: number): CliError {
  return new CliError("service_failed", {
    what: `There are more than ${String(maxPages)} pages.`,
    why: "authz stops there, so that a mistake does not read forever.",
    hint: "Narrow the request.",
    next: { do: "add", lead: "Or allow more", words: ["--max-pages", String(maxPages * 10)] },
    exitCode: exitCodes.failure,
  });
}
