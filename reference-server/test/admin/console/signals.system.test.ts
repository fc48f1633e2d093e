import type { Page } from "authz-tools/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createConsoleWindow } from "../../support/console-window.js";
import { startTransmitter, type Transmitter, transmitterToken } from "../../support/transmitter.js";

let transmitter: Transmitter;
let page: Page;
const screen = createConsoleWindow();
const { complaints, button, field, heading, row, show } = screen;

beforeAll(async () => {
  await screen.start();
  transmitter = await startTransmitter();
  page = await screen.open("/admin/signal-streams");
});
afterAll(() => transmitter.close());

test("the page of the provider has the address for its logout tokens, and leads to a stream", async () => {
  await show("/identity-providers/acme");
  await page.getByText("/sign-in/back-channel-logout/acme").waitFor();
  await page.getByRole("link", { name: "Add a stream" }).click();
  await heading("Add a stream of signals").waitFor();
  expect(new URL(page.url()).search).toBe("?provider=acme");
});

test("a wrong token is said at its field, and nothing is stored", async () => {
  await field("Name").fill("Acme signals");
  await field("Key").fill("acme");
  await field("Transmitter").fill(transmitter.issuer);
  await page.getByLabel("Token").fill("wrong");
  await button("Add the stream").click();
  await page.getByText("is not accepted by the transmitter (status 401)").first().waitFor();
  expect(transmitter.streams.size).toBe(0);
});

test("a stream is created at the transmitter, and its test event comes round", async () => {
  await page.getByLabel("Token").fill(transmitterToken);
  await button("Add the stream").click();
  await heading("Acme signals").waitFor();
  expect(transmitter.streams.size).toBe(1);
  await button("Send a test event").click();
  await page.getByText("The test event has come. The stream works.").waitFor();
});

test("a new credential is given to the transmitter, and shown once", async () => {
  await button("Replace the credential").click();
  await page.getByText("The transmitter has taken both already.").waitFor();
  const [stream] = transmitter.streams.values();
  await page.getByText(stream?.delivery.authorization_header ?? "").waitFor();
  await page.reload();
  await heading("Acme signals").waitFor();
  expect(await page.getByText(stream?.delivery.authorization_header ?? "").count()).toBe(0);
});

test("the list shows how it does", async () => {
  await show("/signal-streams");
  await row("Acme signals")
    .getByText("Waiting")
    .or(row("Acme signals").getByText("Working"))
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

screen.testAccessibility(["/signal-streams", "/signal-streams/new?provider=acme", "/signal-streams/acme"]);

test("everything is there in German, on a telephone, too", async () => {
  const narrow = await screen.openInGerman({ width: 375, height: 800 });
  await narrow.goto(new URL("/admin/signal-streams/acme", page.url()).href);
  await narrow.getByText("Testereignis senden").waitFor();
  const overflow = await narrow.evaluate<boolean>("document.documentElement.scrollWidth > window.innerWidth");
  expect(overflow).toBe(false);
});

test("a stream that is removed is gone at the transmitter, too", async () => {
  await show("/signal-streams/acme");
  await button("Remove").click();
  await page.getByLabel("Type acme to confirm").fill("acme");
  await button("Remove the stream", page.getByRole("dialog")).click();
  await heading("Signals").waitFor();
  await expect.poll(() => transmitter.streams.size).toBe(0);
  expect(complaints).toEqual([]);
});
