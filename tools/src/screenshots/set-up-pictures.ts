import type { Page } from "playwright-core";
import type { DevelopmentSecrets } from "../development/secrets.js";
import { originOf, type Settings } from "../development/settings.js";
import type { Camera } from "./camera.js";

/** Somebody sets up a server that is new, as far as to a test that passed. */
export async function takeSetUp(
  camera: Camera,
  { settings, secrets }: { readonly settings: Settings; readonly secrets: DevelopmentSecrets },
): Promise<void> {
  const page = await camera.open();
  await page.goto(`${originOf(settings, "server")}/setup`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await camera.takeWhole(page, "set-up-token");
  await page.keyboard.type(secrets.setupToken);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Where do people sign in?" }).waitFor();
  await camera.takeWhole(page, "set-up-provider");
  await page.getByRole("link", { name: "Another OpenID provider" }).click();
  await fillDetails(page, { settings, secrets });
  await camera.takeWhole(page, "set-up-details");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Test sign-in" }).click();
  await page.getByText("Bruno Keller").click();
  await page.getByText("You signed in as bruno@acme.example").waitFor();
  await camera.takeWhole(page, "set-up-test-failed");
  await page.getByRole("button", { name: "Test again" }).click();
  await page.getByText("Ada Lovelace").click();
  await page.getByText("The test passed").waitFor();
  await camera.takeWhole(page, "set-up-test", ["light", "dark", "narrow"]);
  await page.context().close();
}

async function fillDetails(
  page: Page,
  { settings, secrets }: { readonly settings: Settings; readonly secrets: DevelopmentSecrets },
): Promise<void> {
  const fields = {
    "Your email address": "ada@acme.example",
    "Name of this installation": "Acme",
    "Name of the provider": "Acme accounts",
    Issuer: originOf(settings, "idp"),
    "Client ID": "authz",
    "Client secret": secrets.idpClientSecret,
  };
  for (const [label, text] of Object.entries(fields)) {
    // oxlint-disable-next-line no-await-in-loop -- one field after the other
    await page.getByLabel(label).fill(text);
  }
}
