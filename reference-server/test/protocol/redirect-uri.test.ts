import { expect, test } from "vitest";
import { formActionSource, isRegisteredRedirectUri } from "../../src/protocol/redirect-uri.js";

const native = ["http://127.0.0.1/callback", "http://[::1]/callback"];

test.each([
  "http://127.0.0.1/callback",
  "http://127.0.0.1:1/callback",
  "http://127.0.0.1:65535/callback",
  "http://[::1]:8400/callback",
])("a native client may be answered at %s", (uri) => {
  expect(isRegisteredRedirectUri(uri, native)).toBe(true);
});

test.each([
  "http://localhost:8400/callback",
  "https://127.0.0.1:8400/callback",
  "http://127.0.0.1:0/callback",
  "http://127.0.0.1:65536/callback",
  "http://127.0.0.1:08400/callback",
  "http://127.0.0.1:8400/callback/",
  "http://127.0.0.1:8400/callback?x=1",
  "http://127.0.0.1:8400/callback#x",
  "http://127.0.0.1:8400/Callback",
  "http://127.0.0.1:8400/callback/../callback",
  "http://127.0.0.1:8400@evil.example/callback",
  "http://evil@127.0.0.1:8400/callback",
  "http://127.0.0.1.evil.example/callback",
  "http://127.0.0.2:8400/callback",
  "http://0177.0.0.1:8400/callback",
  "http://2130706433/callback",
  "http://[0:0:0:0:0:0:0:1]:8400/callback",
  "http://[::ffff:127.0.0.1]:8400/callback",
  "HTTP://127.0.0.1:8400/callback",
  " http://127.0.0.1:8400/callback",
  "http://127.0.0.1:8400/callback\n",
  "http:\\\\127.0.0.1:8400/callback",
  "javascript:alert(1)",
  "callback",
])("nobody is answered at %j", (uri) => {
  expect(isRegisteredRedirectUri(uri, native)).toBe(false);
});

test("another registered address is compared character by character, with its port", () => {
  const web = ["https://app.example:8443/cb?x=1"];
  expect(isRegisteredRedirectUri("https://app.example:8443/cb?x=1", web)).toBe(true);
  expect(isRegisteredRedirectUri("https://app.example:9443/cb?x=1", web)).toBe(false);
  expect(isRegisteredRedirectUri("https://app.example:8443/cb", web)).toBe(false);
});

test("a form may end at the origin of the address, and at its scheme where CSP cannot say the origin", () => {
  expect(formActionSource("http://127.0.0.1:8400/callback")).toBe("http://127.0.0.1:8400");
  expect(formActionSource("http://[::1]:8400/callback")).toBe("http:");
});
