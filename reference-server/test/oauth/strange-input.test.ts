import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, signIn } from "../support/device.js";
import { type OauthServer, startOauthServer } from "../support/oauth-server.js";
import { RawDevice } from "../support/raw-device.js";

let system: OauthServer;
let device: RawDevice;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
});
afterAll(() => system.close());

const poisons = ["\0", "a\0b", "\uFFFF", "'; --", "\u202E", "x".repeat(10_000)];
const codeRequest = () => device.codeParameters("c");

test.each(["grant_type", "client_id", "code", "redirect_uri", "code_verifier"])(
  "a strange %s at the token endpoint is refused, never a failure",
  async (name) => {
    const answers = await Promise.all(
      poisons.map((poison) => device.token({ ...codeRequest(), [name]: poison })),
    );
    expect(
      answers.map(({ status }) => status).filter((status) => status !== 400 && status !== 401),
    ).toStrictEqual([]);
  },
);

test.each([
  "client_id",
  "redirect_uri",
  "state",
  "nonce",
  "scope",
  "prompt",
  "max_age",
  "dpop_jkt",
  "code_challenge",
])("a strange %s at the authorization endpoint is refused or harmless, never a failure", async (name) => {
  const browser = createBrowser();
  const visits = await Promise.all(
    poisons.map((poison) => browser.open(device.authorizeUrl({ [name]: poison }))),
  );
  expect(visits.map(({ status }) => status).filter((status) => status >= 431)).toStrictEqual([]);
});

test("strange cookies and addresses are ignored or refused, never a failure", async () => {
  const browser = createBrowser();
  await signIn(browser, `${system.issuer}/sign-in`, "ada");
  for (const name of ["authz-browser", "authz-session"]) browser.cookies.set(name, "%00%ff");
  const paths = [
    "/",
    "/sign-in?request=%00",
    "/sign-in?prompt=%00&request=1",
    "/sign-in/start?provider=%00",
    "/sign-in/callback?state=%00",
    "/oauth/consent?request=%00",
    "/oauth/consent?request=00000000-0000-0000-0000-000000000000",
    "/sign-out?state=%00",
    "/api/oauth/userinfo?access_token=%00",
    "/%00",
    "/%ff",
  ];
  const visits = await Promise.all(paths.map((path) => browser.open(`${system.issuer}${path}`)));
  expect(visits.filter(({ status }) => status >= 500)).toStrictEqual([]);
});

test("a strange access token or proof is refused, never a failure", async () => {
  const url = `${system.issuer}/api/oauth/userinfo`;
  const strange = ["\x01", "é", "a.b.c", "e30.e30.AAAA", "x".repeat(5000)];
  const answers = await Promise.all(
    strange.map((token) =>
      fetch(url, { headers: { authorization: `DPoP ${encodeURIComponent(token)}`, dpop: encodeURI(token) } }),
    ),
  );
  expect(answers.filter(({ status }) => status !== 401)).toStrictEqual([]);
});
