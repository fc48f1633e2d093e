import type { Page } from "playwright-core";

/** Calls back once, with the first whole line that matches. */
export function onLine(wanted: RegExp, act: (line: string) => void): (output: string) => void {
  let done = false;
  return (output) => {
    const text = output.replaceAll("\r", "");
    const line = wanted.exec(text.slice(0, text.lastIndexOf("\n") + 1))?.[0];
    if (done || line === undefined) return;
    done = true;
    act(line);
  };
}

/** Opens the address, signs in at the identity provider and allows. Answers with the device code that the page showed. */
export async function allowAs(page: Page, address: string, person: string): Promise<string> {
  await page.goto(address);
  await page.getByText(person).click();
  return await allow(page);
}

/** Opens the page with a device's code in it, signs in, compares the code and allows. */
export async function connectDevice(page: Page, address: string, person: string): Promise<string> {
  await continueWithCode(page, address, person);
  const code = await allow(page);
  await page.getByText("Your device is connected").waitFor();
  return code;
}

/** The same, but declines. */
export async function declineDevice(page: Page, address: string, person: string): Promise<void> {
  await continueWithCode(page, address, person);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByText("The device is not connected").waitFor();
}

/** Opens the address, signs in, goes on to the third party, and allows there with the person's own account. */
export async function connectNotes(page: Page, address: string, person: string): Promise<void> {
  await page.goto(address);
  await page.getByText(person).click();
  await page.getByRole("button", { name: "Continue to Notes" }).click();
  await page.getByText(person).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Go back to your terminal").waitFor();
}

async function continueWithCode(page: Page, address: string, person: string): Promise<void> {
  await page.goto(address);
  await page.getByText(person).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

async function allow(page: Page): Promise<string> {
  const button = page.getByRole("button", { name: "Allow" });
  await button.waitFor();
  const code = (await page.locator("p.code").textContent()) ?? "";
  await button.click();
  return code;
}
