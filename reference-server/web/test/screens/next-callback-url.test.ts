import { expect, test } from "vitest";
import { nextCallbackUrl } from "../../src/screens/providers/next-callback-url";

const plain = { key: "acme", callbackUrl: "https://auth.example/sign-in/callback" };
const own = { key: "partner", callbackUrl: "https://auth.example/sign-in/callback/partner" };
const named = { key: "callback", callbackUrl: "https://auth.example/sign-in/callback/callback" };

test.each([
  { name: "the plain one is taken", providers: [plain], key: "new", url: `${plain.callbackUrl}/new` },
  {
    name: "the plain one is taken by another",
    providers: [own, plain],
    key: "new",
    url: `${plain.callbackUrl}/new`,
  },
  { name: "the plain one is free", providers: [own], key: "new", url: plain.callbackUrl },
  { name: "the plain one is free, whatever the key", providers: [named], key: "", url: plain.callbackUrl },
  { name: "no key is typed yet", providers: [plain], key: "", url: undefined },
  { name: "nothing is known", providers: [], key: "new", url: undefined },
])("a new provider has its own callback address when $name", ({ providers, key, url }) => {
  expect(nextCallbackUrl(providers, key)).toBe(url);
});
