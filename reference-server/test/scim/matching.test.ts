import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ScimClient, type ScimServer, startScimServer, userSchema } from "./scim-client.js";

/** Entra ID: `sub` is another one for each application, `externalId` in SCIM is the claim `oid`. */
let server: ScimServer;
let entra: ScimClient;
beforeAll(async () => {
  server = await startScimServer();
  entra = await server.addProvider({ key: "entra", provisioningClaim: "oid" });
});
afterAll(() => server.close());
beforeEach(() =>
  server.database.query("DELETE FROM users WHERE email <> 'ada@acme.example' OR email IS NULL"),
);

const oid = "7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60";
const at = () => new Date(server.clock());
/** As the sign-in does it: the configured pair decides which attribute names the account. */
const signIn = (subject: string, claim: string | undefined, email = "grace@acme.example") =>
  server.context.store.transaction((store) =>
    store.users.signIn({
      providerId: entra.providerId,
      subject,
      email,
      oid: claim,
      provisioned: claim === undefined ? undefined : { attribute: "externalId", value: claim },
      at: at(),
    }),
  );
const create = async (change: object = {}) => {
  const body = {
    schemas: [userSchema],
    userName: "grace@acme.example",
    externalId: oid,
    emails: [{ value: "grace@acme.example", type: "work", primary: true }],
    ...change,
  };
  const answer = await entra.request("POST", "/Users", { body });
  return { ...answer, id: String(answer.body["id"]) };
};

describe("with externalId = oid", () => {
  test("a first sign-in is that of the person who was provisioned, also with another address", async () => {
    const { id } = await create({ emails: [{ value: "g.hopper@acme.example" }] });
    const person = await server.person(id);
    const signedIn = await signIn("pairwise-1", oid);
    expect(signedIn).toMatchObject({ id: person?.userId, linked: true, email: "grace@acme.example" });
  });

  test("a person who signed in is found by oid, also with another address", async () => {
    const signedIn = await signIn("pairwise-1", oid);
    const { id } = await create({ emails: [{ value: "g.hopper@acme.example" }] });
    expect(await server.person(id)).toMatchObject({ userId: signedIn.id, email: "grace@acme.example" });
  });

  test("an externalId that equals sub means nobody", async () => {
    await signIn("pairwise-1", oid);
    const { status, body } = await create({ externalId: "pairwise-1" });
    expect([status, body["scimType"]]).toEqual([409, "uniqueness"]);
  });

  test("an account without oid is not taken for a person by the address", async () => {
    await signIn("pairwise-1", undefined);
    const { status, body } = await create();
    expect([status, body["scimType"]]).toEqual([409, "uniqueness"]);
  });

  test("the oid of a later sign-in makes the account known", async () => {
    const { id: userId } = await signIn("pairwise-1", undefined);
    await signIn("pairwise-1", oid);
    const { id } = await create();
    expect(await server.person(id)).toMatchObject({ userId });
  });

  test("two accounts with one oid are ambiguous", async () => {
    await signIn("pairwise-1", oid, "one@acme.example");
    await signIn("pairwise-2", oid, "two@acme.example");
    const { status, body } = await create({ emails: [], userName: "three" });
    expect([status, body["scimType"]]).toEqual([409, "uniqueness"]);
  });

  test("the same person is not provisioned twice", async () => {
    await signIn("pairwise-1", oid);
    await create();
    const { status, body } = await create({ externalId: "x", userName: "x" });
    expect([status, body["scimType"]]).toEqual([409, "uniqueness"]);
  });

  test("an inactive person cannot sign in, whoever enabled them here", async () => {
    const { id } = await create({ active: false });
    const userId = (await server.person(id))?.userId ?? "";
    await server.context.store.users.setEnabled(userId, true, at());
    expect(await signIn("pairwise-1", oid)).toMatchObject({ enabled: false });
  });

  test("an assertion finds an active person only", async () => {
    const { id: userId } = await signIn("pairwise-1", oid);
    const asserted = { providerId: entra.providerId, subject: "pairwise-1", email: "grace@acme.example" };
    const { users } = server.context.store;
    expect((await users.findAsserted(asserted))?.user.id).toBe(userId);
    const { id } = await create({ active: false });
    await users.setEnabled(userId, true, at());
    expect(await users.findAsserted(asserted)).toBeUndefined();
    expect((await entra.request("DELETE", `/Users/${id}`)).status).toBe(204);
    expect((await users.findAsserted(asserted))?.user.id).toBe(userId);
  });

  test("a change of externalId to the account of another person is refused", async () => {
    await signIn("pairwise-1", oid);
    const { id } = await create({ externalId: "x", userName: "x", emails: [] });
    const body = { schemas: [userSchema], userName: "x", externalId: oid };
    const answer = await entra.request("PUT", `/Users/${id}`, { body });
    expect([answer.status, answer.body["scimType"]]).toEqual([409, "uniqueness"]);
  });
});
