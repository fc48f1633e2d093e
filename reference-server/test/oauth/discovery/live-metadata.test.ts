import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLiveMetadata } from "../../../src/oauth/discovery/metadata.js";
import { createTestServer, type TestServer } from "../../support/server.js";

const issuer = "http://127.0.0.1:3000";
let server: TestServer;
beforeAll(async () => (server = await createTestServer()));
afterAll(() => server.close());

async function read(): Promise<Record<string, unknown>> {
  const answers = await Promise.all(
    ["oauth-authorization-server", "openid-configuration"].map((name) =>
      server.app.inject(`/.well-known/${name}`),
    ),
  );
  const [one, other] = answers.map((answer) => answer.json<Record<string, unknown>>());
  expect(one).toEqual(other);
  return one ?? {};
}

describe("the metadata announces how unregistered clients may identify themselves", () => {
  test.each<{ appTrust: "off" | "listed" | "any"; dynamicRegistration: boolean }>([
    { appTrust: "listed", dynamicRegistration: false },
    { appTrust: "off", dynamicRegistration: false },
    { appTrust: "any", dynamicRegistration: true },
    { appTrust: "off", dynamicRegistration: true },
    { appTrust: "listed", dynamicRegistration: false },
  ])("$appTrust, dynamic registration $dynamicRegistration", async ({ appTrust, dynamicRegistration }) => {
    await server.context.store.settings.save({ appTrust, dynamicRegistration }, new Date(server.clock()));
    server.clock.advance(3);
    const metadata = await read();
    expect(metadata["client_id_metadata_document_supported"]).toBe(appTrust !== "off");
    expect(metadata["registration_endpoint"]).toBe(
      dynamicRegistration ? `${issuer}/api/oauth/register` : undefined,
    );
    expect(metadata["token_endpoint_auth_methods_supported"]).toContain("none");
  });
});

describe("while the database", () => {
  const settings = async () => await server.context.store.settings.get();

  test("is away, the document stays as it was", async () => {
    let now = 0;
    let isAway = false;
    const metadata = createLiveMetadata({
      issuer,
      parts: [],
      clock: () => now,
      store: {
        settings: {
          async get() {
            if (isAway) throw new Error("away");
            return { ...(await settings()), appTrust: "off", dynamicRegistration: true };
          },
        },
      },
    });
    const before = await metadata();
    expect(before).toMatchObject({ client_id_metadata_document_supported: false });
    isAway = true;
    now = 10_000;
    expect(await metadata()).toBe(before);
  });

  test("does not answer, it delays no answer and is queried once in three seconds", async () => {
    let now = 0;
    let asked = 0;
    const metadata = createLiveMetadata({
      issuer,
      parts: [],
      clock: () => now,
      store: {
        settings: {
          async get() {
            asked += 1;
            return await new Promise(() => undefined);
          },
        },
      },
    });
    const begun = performance.now();
    const answers = await Promise.all([metadata(), metadata(), metadata()]);
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(answers.map((answer) => answer["client_id_metadata_document_supported"])).toEqual([
      true,
      true,
      true,
    ]);
    expect(asked).toBe(1);
    now = 3_000;
    await metadata();
    expect(asked).toBe(2);
  });
});
