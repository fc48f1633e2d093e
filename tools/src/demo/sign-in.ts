import { ReadableError } from "../readable-error.js";
import type { Browser, Button, Form, Visit } from "../scriptless/browser.js";

/** What the person presses: themselves at the identity provider, their account at a third party, Continue, Allow. */
interface Choices {
  readonly person: string;
  /** At the third party. */
  readonly account?: string;
}

const maxPages = 6;

/**
 * Walks through the sign-in that starts at this address, until the browser is back at the command-line client, with a code or a refusal.
 *
 * @returns The titles of the pages that were shown, in order.
 * @throws {ReadableError} A page refuses, or offers no button that leads on.
 */
export function signIn(browser: Browser, address: URL, choices: Choices): Promise<readonly string[]> {
  const isOver = ({ url }: Visit): boolean => url.pathname === "/callback" && url.origin !== address.origin;
  return walk({ browser, address, choices, isOver });
}

/**
 * Walks through connecting an account at a third party, until the authorization server says that it is done.
 *
 * @throws {ReadableError} As {@link signIn}.
 */
export function connectAccount(
  browser: Browser,
  address: URL,
  choices: Required<Choices>,
): Promise<readonly string[]> {
  const isOver = ({ url, status }: Visit, pressed: Button | undefined): boolean =>
    pressed?.text === "Allow" && url.origin === address.origin && status === 200;
  return walk({ browser, address, choices, isOver });
}

async function walk(way: {
  readonly browser: Browser;
  readonly address: URL;
  readonly choices: Choices;
  readonly isOver: (page: Visit, pressed: Button | undefined) => boolean;
}): Promise<readonly string[]> {
  const { browser, address, choices, isOver } = way;
  const seen: string[] = [];
  let page = await browser.open(address);
  let pressed: Button | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    if (page.leadsTo !== undefined) {
      page = await browser.open(page.leadsTo);
      continue;
    }
    seen.push(titleOf(page));
    if (isOver(page, pressed)) {
      return seen;
    }
    const press = nextPress(page, choices);
    const back = press === undefined ? wayBack(page) : undefined;
    if (back !== undefined) {
      page = await browser.open(back);
      continue;
    }
    if (press === undefined) {
      throw new ReadableError(
        `The way through the browser stopped at "${titleOf(page)}" (${page.status}, ${page.url.origin}${page.url.pathname}).\n${wordsOf(page)}`,
      );
    }
    page = await browser.submit(press.form, pressOf(press.button));
    pressed = press.button;
  }
  throw new ReadableError(`The way through the browser shows too many pages: ${seen.join(", ")}`);
}

/** What a button adds to its form. */
export function pressOf({ name, value }: Button): Readonly<Record<string, string>> {
  return name === "" ? {} : { [name]: value };
}

function nextPress(page: Visit, { person, account }: Choices): { form: Form; button: Button } | undefined {
  for (const form of page.forms) {
    for (const button of form.buttons) {
      const isOwn =
        (button.name === "person" && button.value === person) ||
        (button.name === "account" && button.value === account);
      if (isOwn || button.text === "Allow" || /^Continue\b/.test(button.text)) {
        return { form, button };
      }
    }
  }
  return undefined;
}

/** Where a page that refuses the app sends the person, so that the app hears of it. */
function wayBack({ status, links }: Visit): URL | undefined {
  return status === 403 ? links.find(({ text }) => text.startsWith("Back to "))?.url : undefined;
}

function titleOf(page: Visit): string {
  return /<title>([^<]*)<\/title>/i.exec(page.html)?.[1]?.trim() ?? page.url.pathname;
}

function wordsOf(page: Visit): string {
  const body = /<body[^>]*>([^]*)<\/body>/i.exec(page.html)?.[1] ?? page.html;
  return body
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}
