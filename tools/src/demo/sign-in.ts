import { ReadableError } from "../readable-error.js";
import type { Browser, Page } from "./browser.js";
import type { Button, Form } from "./forms.js";

/** What the person presses: themselves at the identity provider, then Allow at the authorization server. */
interface Choices {
  readonly person: string;
}

const MAX_PAGES = 6;

/**
 * Walks through the sign-in that starts at this address, until the browser is back at the command-line client.
 *
 * @returns The titles of the pages that were shown, in order.
 * @throws {ReadableError} A page refuses, or offers no button that leads on.
 */
export async function signIn(browser: Browser, address: URL, choices: Choices): Promise<readonly string[]> {
  const seen: string[] = [];
  let page = await browser.open(address);
  for (let count = 0; count < MAX_PAGES; count += 1) {
    seen.push(titleOf(page));
    if (page.url.pathname === "/callback" && page.url.origin !== address.origin) {
      return seen;
    }
    const press = nextPress(page, choices);
    if (press === undefined) {
      throw new ReadableError(
        `The sign-in stopped at "${titleOf(page)}" (${page.status}, ${page.url.origin}${page.url.pathname}).\n${wordsOf(page)}`,
      );
    }
    page = await browser.submit(page, press.form, press.button);
  }
  throw new ReadableError(`The sign-in shows too many pages: ${seen.join(", ")}`);
}

function nextPress(page: Page, { person }: Choices): { form: Form; button: Button } | undefined {
  for (const form of page.forms) {
    for (const button of form.buttons) {
      if ((button.name === "person" && button.value === person) || button.text === "Allow") {
        return { form, button };
      }
    }
  }
  return undefined;
}

function titleOf(page: Page): string {
  return /<title>([^<]*)<\/title>/i.exec(page.html)?.[1]?.trim() ?? page.url.pathname;
}

function wordsOf(page: Page): string {
  const body = /<body[^>]*>([^]*)<\/body>/i.exec(page.html)?.[1] ?? page.html;
  return body
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}
