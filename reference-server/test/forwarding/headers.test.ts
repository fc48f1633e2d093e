import { describe, expect, test } from "vitest";
import { answerHeaders } from "../../src/forwarding/answer-headers.js";
import type { HeaderLine } from "../../src/forwarding/header-lines.js";
import { isNeverSent } from "../../src/protocol/request-headers.js";
import { methodOverrideOf, onwardHeaders, sortHeaders } from "../../src/forwarding/request-headers.js";

const onward = {
  declared: ["x-two", "x-three", "x-four"],
  credential: [["authorization", "Bearer theirs"]] as const,
  contentLength: undefined,
};
const ours: readonly HeaderLine[] = [
  ["accept-encoding", "identity"],
  ["authorization", "Bearer theirs"],
];

describe("a request", () => {
  test("keeps what any API takes and what is declared, as it was sent, repeated lines too", () => {
    const lines: HeaderLine[] = [
      ["Accept", "application/json"],
      ["X-Two", "a"],
      ["x-two", "b"],
      ["User-Agent", "tool/1"],
      ["If-None-Match", '"1"'],
    ];
    expect(onwardHeaders(lines, onward)).toEqual([...lines, ...ours]);
  });

  const neverSent = [
    "Authorization",
    "DPoP",
    "Cookie",
    "Host",
    "Authz-Target",
    "authz-anything",
    "Connection",
    "Keep-Alive",
    "Proxy-Authorization",
    "Proxy-Connection",
    "TE",
    "Trailer",
    "Transfer-Encoding",
    "Upgrade",
    "HTTP2-Settings",
    "Expect",
    "Forwarded",
    "X-Forwarded-For",
    "X-Forwarded-User",
    "Via",
    "traceparent",
    "tracestate",
    "baggage",
    "Origin",
    "Referer",
    "Sec-Fetch-Site",
    "Accept-Encoding",
    "Content-Length",
  ];

  test.each([
    ...neverSent,
    "CF-Connecting-IP",
    "Client-Cert",
    "Client-Cert-Chain",
    "From",
    "Remote-User",
    "True-Client-IP",
    "X-Amzn-Oidc-Data",
    "X-Amzn-Oidc-Identity",
    "X-Auth-Request-Email",
    "X-Authenticated-UserId",
    "X-Client-IP",
    "X-Consumer-Username",
    "X-Forwarded",
    "X-Goog-Authenticated-User-Email",
    "X-Goog-Iap-Jwt-Assertion",
    "X-Ms-Client-Principal-Name",
    "X-Original-URL",
    "X-Real-IP",
    "X-Remote-User",
    "X-Rewrite-URL",
    "X-User",
    "X-Webauth-User",
    "X_Forwarded_For",
    "x_original-url",
    "Proxy_Authorization",
    "Content_Type",
  ])("goes on without %s, and tells", (name) => {
    const lines: HeaderLine[] = [
      ["User-Agent", "tool"],
      [name, "x"],
    ];
    expect(onwardHeaders(lines, onward)).toEqual([["User-Agent", "tool"], ...ours]);
    expect(sortHeaders(lines, []).leftOut).toEqual([name.toLowerCase()]);
  });

  test.each(neverSent)("goes on without %s, also when it is declared", (name) => {
    expect(isNeverSent(name.toLowerCase())).toBe(true);
    expect(sortHeaders([[name, "x"]], [name.toLowerCase()]).kept).toEqual([]);
  });

  test("goes on without what Connection names, in every line of it and every spelling", () => {
    const lines: HeaderLine[] = [
      ["User-Agent", "tool"],
      ["Connection", "close, X-One"],
      ["connection", " x-TWO ,,X-Three"],
      ["x-one", "1"],
      ["X-Two", "2"],
      ["x-three", "3"],
      ["x-four", "4"],
    ];
    expect(onwardHeaders(lines, onward)).toEqual([["User-Agent", "tool"], ["x-four", "4"], ...ours]);
  });

  test("goes on without lines that would become something else", () => {
    const lines: HeaderLine[] = [
      ["User-Agent", "tool"],
      ["x-two", "1\r\nAuthorization: Bearer mine"],
      ["x b", "1"],
      ["", "1"],
    ];
    expect(onwardHeaders(lines, onward)).toEqual([["User-Agent", "tool"], ...ours]);
  });

  test("says who sends it when the caller does not, and the length that is known", () => {
    expect(onwardHeaders([], { ...onward, contentLength: 12 })).toEqual([
      ["user-agent", "authz-server"],
      ["content-length", "12"],
      ...ours,
    ]);
  });

  test.each(["X-HTTP-Method-Override", "x-http-method", "X-Method-Override", "X_HTTP_Method_Override"])(
    "that asks for another method with %s is found",
    (name) => {
      expect(methodOverrideOf([[name, "DELETE"]])).toBe(name.toLowerCase().replaceAll("_", "-"));
      expect(methodOverrideOf([["x-http", "DELETE"]])).toBeUndefined();
    },
  );
});

describe("an answer", () => {
  const options = { decoded: false, secrets: ["token-1"] };

  test("keeps its own headers, repeated ones too", () => {
    const lines: HeaderLine[] = [
      ["Content-Type", "text/plain"],
      ["Link", "<a>"],
      ["link", "<b>"],
      ["ETag", '"1"'],
      ["Content-Length", "3"],
      ["Retry-After", "5"],
      ["Location", "https://elsewhere.example/"],
    ];
    expect(answerHeaders(lines, options)).toEqual({
      "content-type": ["text/plain"],
      link: ["<a>", "<b>"],
      etag: ['"1"'],
      "content-length": ["3"],
      "retry-after": ["5"],
      location: ["https://elsewhere.example/"],
    });
  });

  test.each([
    "Set-Cookie",
    "Set-Cookie2",
    "WWW-Authenticate",
    "Proxy-Authenticate",
    "DPoP-Nonce",
    "Authentication-Info",
    "Strict-Transport-Security",
    "Alt-Svc",
    "Clear-Site-Data",
    "Content-Security-Policy",
    "Content-Security-Policy-Report-Only",
    "Access-Control-Allow-Origin",
    "Report-To",
    "NEL",
    "Proxy-Status",
    "Authz-Anything",
    "Connection",
    "Keep-Alive",
    "Transfer-Encoding",
    "Trailer",
    "Upgrade",
    "Cache-Control",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "Refresh",
    "X-Accel-Redirect",
    "X-Sendfile",
    "Surrogate-Control",
    "CDN-Cache-Control",
    "Cloudflare-CDN-Cache-Control",
  ])("comes back without %s", (name) => {
    expect(answerHeaders([[name, "x"]], options)).toEqual({});
  });

  test("comes back without what Connection names, and without lines that would become something else", () => {
    const lines: HeaderLine[] = [
      ["Connection", "X-One"],
      ["x-one", "1"],
      ["x-two", "1\u0000"],
      ["x three", "1"],
      ["__proto__", "1"],
    ];
    expect(Object.keys(answerHeaders(lines, options))).toEqual([]);
  });

  test("has the token covered in values, and no name with the token in it", () => {
    const lines: HeaderLine[] = [
      ["X-Echo", "Bearer token-1, token-1"],
      ["X-Token-1", "1"],
    ];
    expect(answerHeaders(lines, options)).toEqual({ "x-echo": ["Bearer *******, *******"] });
  });

  test("that is decoded comes back without what was true of the encoded bytes", () => {
    const lines: HeaderLine[] = [
      ["Content-Length", "3"],
      ["Content-Encoding", "gzip"],
      ["Content-Digest", "sha-256=:x:"],
      ["Accept-Ranges", "bytes"],
      ["ETag", '"1"'],
    ];
    expect(answerHeaders(lines, { ...options, decoded: true })).toEqual({ etag: ['"1"'] });
  });
});
