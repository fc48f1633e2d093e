import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ConnectorAdmin,
  connectorSecret,
  createConnectorAdmin,
  notesConnector,
} from "../support/admin-connectors.js";

let admin: ConnectorAdmin;
let answer: { status: number; body: object };
let meanwhile: () => Promise<unknown> = () => Promise.resolve();
let asked: { readonly authorization: string | undefined; readonly body: string };
const thirdParty = createServer((request, response) => {
  void text(request).then((body) => {
    asked = { authorization: request.headers.authorization, body };
    return reply(response);
  });
});

async function reply(response: ServerResponse): Promise<void> {
  await meanwhile();
  response.writeHead(answer.status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer.body));
}

beforeAll(async () => {
  await new Promise<void>((resolve) => {
    thirdParty.listen(0, "127.0.0.1", resolve);
  });
  admin = await createConnectorAdmin();
  const origin = `http://127.0.0.1:${(thirdParty.address() as AddressInfo).port}`;
  await admin.post({ ...notesConnector, tokenEndpoint: `${origin}/token` });
});
afterAll(async () => {
  await admin.server.close();
  thirdParty.close();
});

const run = () => admin.server.request("POST", "/connectors/notes/tests");
const accepts = { status: 400, body: { error: "invalid_grant" } };
const refuses = { status: 401, body: { error: "invalid_client", error_description: "Unknown client." } };

test("a result is answered, kept with its time, shown in the list, and audited without the secret", async () => {
  expect(await admin.show("notes")).toMatchObject({ test: null });
  answer = refuses;
  const { status, body } = await run();
  expect(status).toBe(200);
  expect(body).toEqual({
    verdict: "refused",
    reason: "invalid_client",
    providerMessage: "invalid_client: Unknown client.",
    testedAt: expect.any(String),
  });
  expect(await admin.show("notes")).toMatchObject({ test: body, version: 1 });
  const { body: list } = await admin.server.request("GET", "/connectors");
  expect(list["items"]).toMatchObject([{ key: "notes", test: body }]);
  const [event] = (await admin.server.audit("connector.tested")).slice(-1);
  expect(event?.data).toEqual({ key: "notes", verdict: "refused", answer: "invalid_client" });
  expect(JSON.stringify(await admin.server.audit())).not.toContain(connectorSecret);
});

test("the next result takes its place", async () => {
  answer = accepts;
  expect((await run()).body).toMatchObject({ verdict: "accepted" });
  expect(await admin.show("notes")).toMatchObject({ test: { verdict: "accepted" } });
});

test.each([
  { name: "its name", change: { name: "Notes of ours" }, kept: true },
  { name: "its methods", change: { methods: ["GET", "POST"] }, kept: true },
  { name: "the same secret", change: { clientSecret: connectorSecret }, kept: true },
  { name: "another secret", change: { clientSecret: "another" }, kept: false },
  { name: "another client", change: { clientId: "another" }, kept: false },
  {
    name: "another way to send it",
    change: { tokenEndpointAuthMethod: "client_secret_post", clientSecret: "another" },
    kept: false,
  },
])("a change of $name leaves the result: $kept", async ({ change, kept }) => {
  answer = accepts;
  await run();
  const { version } = (await admin.show("notes")) as { version: number };
  const { body } = await admin.patch("notes", change, version);
  expect(body["test"] !== null).toBe(kept);
});

test("a result of what was changed meanwhile is nobody's", async () => {
  answer = accepts;
  const { version } = (await admin.show("notes")) as { version: number };
  meanwhile = () => admin.patch("notes", { clientId: "meanwhile" }, version);
  const { status, body } = await run();
  meanwhile = () => Promise.resolve();
  expect([status, body["error"]]).toEqual([412, "version_conflict"]);
  expect(await admin.show("notes")).toMatchObject({ clientId: "meanwhile", test: null });
});

test("a connector that is not there is not tested", async () => {
  expect((await admin.server.request("POST", "/connectors/nobody/tests")).status).toBe(404);
});

test.each([
  { name: "its secret", said: () => odd },
  { name: "its secret as a form has it", said: () => new URLSearchParams({ odd }).toString().slice(4) },
  { name: "its secret as the header has it", said: () => decode().slice(decode().indexOf(":") + 1) },
  { name: "the header", said: () => `Bad header: ${asked.authorization ?? ""}` },
  { name: "the body", said: () => asked.body, method: "client_secret_post" },
])("what a third party repeats of a request is told to nobody: $name", async ({ said, method }) => {
  const { version } = (await admin.show("notes")) as { version: number };
  const change = { clientSecret: odd, tokenEndpointAuthMethod: method ?? "client_secret_basic" };
  await admin.patch("notes", change, version);
  meanwhile = () => {
    answer = { status: 401, body: { error: "invalid_client", error_description: said() } };
    return Promise.resolve();
  };
  expect((await run()).body).toMatchObject({ verdict: "refused", providerMessage: "invalid_client" });
  meanwhile = () => Promise.resolve();
});

/** What each encoding makes another text of. */
const odd = "a b+c/d:ü!~'(*)%";
const decode = () => Buffer.from((asked.authorization ?? "").slice(6), "base64").toString();
