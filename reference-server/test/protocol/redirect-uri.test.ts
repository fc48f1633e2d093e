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
])("no answer goes to %j", (uri) => {
  expect(isRegisteredRedirectUri(uri, native)).toBe(false);
});

// As the documents of programs in use have them.
const documented = ["http://localhost/callback", "http://127.0.0.1/callback"];

test.each([
  { uri: "http://localhost:53211/callback", matches: true },
  { uri: "http://127.0.0.1:53211/callback", matches: true },
  { uri: "http://localhost/callback", matches: true },
  { uri: "http://[::1]:53211/callback", matches: false },
  { uri: "http://LOCALHOST:53211/callback", matches: false },
  { uri: "http://localhost.evil.example:53211/callback", matches: false },
  { uri: "http://localhost.:53211/callback", matches: false },
  { uri: "http://localhost@evil.example/callback", matches: false },
  { uri: "http://localhost:53211@evil.example/callback", matches: false },
  { uri: "https://localhost:53211/callback", matches: false },
  { uri: "http://localhost:53211/other", matches: false },
  { uri: "http://localhost:0/callback", matches: false },
])(
  "a program that registered localhost without a port may be answered at $uri: $matches",
  ({ uri, matches }) => {
    expect(isRegisteredRedirectUri(uri, documented)).toBe(matches);
  },
);

test("localhost is not 127.0.0.1", () => {
  expect(isRegisteredRedirectUri("http://localhost:8400/callback", ["http://127.0.0.1/callback"])).toBe(
    false,
  );
  expect(isRegisteredRedirectUri("http://127.0.0.1:8400/callback", ["http://localhost/callback"])).toBe(
    false,
  );
});

test("another registered address is compared character by character, with its port", () => {
  const web = ["https://app.example:8443/cb?x=1"];
  expect(isRegisteredRedirectUri("https://app.example:8443/cb?x=1", web)).toBe(true);
  expect(isRegisteredRedirectUri("https://app.example:9443/cb?x=1", web)).toBe(false);
  expect(isRegisteredRedirectUri("https://app.example:8443/cb", web)).toBe(false);
});

test("a form may end at the origin of the address, and at its scheme where CSP cannot say the origin", () => {
  expect(formActionSource("http://127.0.0.1:8400/callback")).toBe("http://127.0.0.1:8400");
  expect(formActionSource("http://localhost:8400/callback")).toBe("http://localhost:8400");
  expect(formActionSource("http://[::1]:8400/callback")).toBe("http:");
});
