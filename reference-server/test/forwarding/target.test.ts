import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, test } from "vitest";
import { checkTarget, TargetError, type TargetRules } from "../../src/forwarding/target.js";

const rules: TargetRules = {
  requestPrefixes: [
    "https://api.notes.example/v1",
    "https://api.notes.example/v1/files",
    "https://open.notes.example",
    "https://port.notes.example:8443/x/",
    "https://xn--bcher-kva.example/a",
    "http://127.0.0.1:4000/api",
    "http://plain.notes.example/api",
  ],
  allowInsecureLoopback: true,
};

function reason(text: string | readonly string[], changes: Partial<TargetRules> = {}): string {
  try {
    checkTarget(typeof text === "string" ? [text] : text, { ...rules, ...changes });
    return "allowed";
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    return error.reason;
  }
}

describe("an address is allowed", () => {
  test.each([
    ["https://api.notes.example/v1", "/v1", "https://api.notes.example/v1"],
    ["https://api.notes.example/v1/", "/v1", "https://api.notes.example/v1/"],
    ["https://api.notes.example/v1/notes?q=../..&x=%2e%2e%2f", "/v1", undefined],
    ["https://api.notes.example/v1/files/a.b", "/v1/files", undefined],
    ["HTTPS://API.notes.example:443/v1/a", "/v1", "https://api.notes.example/v1/a"],
    ["https://api.notes.example/v1/caf%C3%A9/%41", "/v1", "https://api.notes.example/v1/caf%C3%A9/%41"],
    ["https://open.notes.example", "", "https://open.notes.example/"],
    ["https://open.notes.example/any/thing;v=1", "", undefined],
    ["https://port.notes.example:8443/x/y", "/x", undefined],
    ["https://xn--bcher-kva.example/a/b", "/a", undefined],
    ["http://127.0.0.1:4000/api/notes", "/api", undefined],
    ["https://api.notes.example/v1/...", "/v1", undefined],
    ["https://api.notes.example/v1/a'b{c}", "/v1", "https://api.notes.example/v1/a'b%7Bc%7D"],
  ])("%s", (text, prefixPath, sent) => {
    const target = checkTarget([text], rules);
    expect(target.prefixPath).toBe(prefixPath);
    expect(target.url.href).toBe(sent ?? text);
  });
});

describe("an address is refused", () => {
  const base = "https://api.notes.example/v1";
  test.each([
    { name: "none", text: [], expected: "missing" },
    { name: "an empty one", text: "", expected: "missing" },
    { name: "two", text: [base, base], expected: "several" },
    { name: "a very long one", text: `${base}/${"a".repeat(8192)}`, expected: "too_long" },
    { name: "a tab in the host", text: "https://api.no\ttes.example/v1", expected: "characters" },
    { name: "a line break in the scheme", text: "ht\ntps://api.notes.example/v1", expected: "characters" },
    { name: "a space before it", text: ` ${base}`, expected: "characters" },
    { name: "a space in the path", text: `${base}/a b`, expected: "characters" },
    { name: "a NUL", text: `${base}/a\0`, expected: "characters" },
    { name: "letters beyond ASCII", text: "https://bücher.example/a", expected: "characters" },
    { name: "a full-width dot in the host", text: "https://api。notes.example/v1", expected: "characters" },
    { name: "a backslash for a slash", text: "https:\\\\api.notes.example\\v1", expected: "characters" },
    { name: "a backslash in the path", text: `${base}\\..\\..`, expected: "characters" },
    {
      name: "a backslash before an @",
      text: "https://evil.example\\@api.notes.example/v1",
      expected: "characters",
    },
    { name: "a path alone", text: "/v1", expected: "not_absolute" },
    { name: "no scheme", text: "//api.notes.example/v1", expected: "not_absolute" },
    { name: "one slash", text: "https:/api.notes.example/v1", expected: "not_absolute" },
    { name: "no slash", text: "https:api.notes.example/v1", expected: "not_absolute" },
    { name: "three slashes", text: "https:///api.notes.example/v1", expected: "host" },
    { name: "another scheme", text: "ftp://api.notes.example/v1", expected: "scheme" },
    { name: "a file", text: "file:///etc/passwd", expected: "scheme" },
    { name: "plain http", text: "http://api.notes.example/v1", expected: "scheme" },
    { name: "plain http that is in a prefix", text: "http://plain.notes.example/api", expected: "scheme" },
    { name: "a user name", text: "https://a@api.notes.example/v1", expected: "user_information" },
    { name: "a password", text: "https://a:b@api.notes.example/v1", expected: "user_information" },
    { name: "an empty user name", text: "https://@api.notes.example/v1", expected: "user_information" },
    {
      name: "the host as a user name",
      text: "https://api.notes.example@evil.example/v1",
      expected: "user_information",
    },
    { name: "a fragment", text: `${base}#a`, expected: "fragment" },
    { name: "an empty fragment", text: `${base}#`, expected: "fragment" },
    { name: "no host", text: "https://", expected: "host" },
    { name: "a host longer than names can be", text: `https://${"a.".repeat(127)}ab/v1`, expected: "host" },
    { name: "a dot after the host", text: "https://api.notes.example./v1", expected: "host" },
    { name: "two dots in the host", text: "https://api..notes.example/v1", expected: "host" },
    { name: "an encoded host", text: "https://api%2enotes.example/v1", expected: "host" },
    { name: "a zone of IPv6", text: "https://[fe80::1%25eth0]/v1", expected: "host" },
    { name: "a port that is none", text: "https://api.notes.example:99999/v1", expected: "host" },
    { name: "an empty port", text: "https://api.notes.example:/v1", expected: "host" },
    { name: "a short address", text: "http://127.1:4000/api", expected: "host" },
    { name: "a hexadecimal address", text: "http://0x7f.0.0.1:4000/api", expected: "host" },
    { name: "a decimal address", text: "http://2130706433:4000/api", expected: "host" },
    { name: "an octal address", text: "http://0177.0.0.1:4000/api", expected: "host" },
    { name: "an encoded dot", text: `${base}/%2e%2e/x`, expected: "path_encoding" },
    { name: "an encoded dot within a name", text: `${base}/a%2Eb`, expected: "path_encoding" },
    { name: "an encoded slash", text: `${base}/a%2Fb`, expected: "path_encoding" },
    { name: "an encoded backslash", text: `${base}/..%5c..`, expected: "path_encoding" },
    { name: "a dot that is encoded twice", text: `${base}/%252e%252E`, expected: "path_encoding" },
    { name: "a slash that is encoded three times", text: `${base}/%25252f`, expected: "path_encoding" },
    { name: "an encoded NUL", text: `${base}/a%00`, expected: "path_encoding" },
    { name: "an encoded line break", text: `${base}/a%0d%0aHost:%20x`, expected: "path_encoding" },
    { name: "a broken encoding", text: `${base}/a%zz`, expected: "path_encoding" },
    { name: "an encoding that ends early", text: `${base}/a%2`, expected: "path_encoding" },
    { name: "an encoding of IIS", text: `${base}/%u002e`, expected: "path_encoding" },
    { name: "an overlong dot", text: `${base}/%c0%ae%c0%ae/x`, expected: "path_encoding" },
    { name: "two slashes", text: `${base}//x`, expected: "path_segments" },
    { name: "two slashes at the end", text: `${base}//`, expected: "path_segments" },
    {
      name: "two slashes at the beginning",
      text: "https://open.notes.example//v1",
      expected: "path_segments",
    },
    { name: "dots that go up", text: `${base}/../admin`, expected: "path_segments" },
    { name: "dots that go up and come back", text: `${base}/../v1/x`, expected: "path_segments" },
    { name: "a dot alone", text: `${base}/./x`, expected: "path_segments" },
    { name: "dots at the end", text: `${base}/..`, expected: "path_segments" },
    { name: "dots with a parameter", text: `${base}/..;a=b/admin`, expected: "path_segments" },
    { name: "dots with an encoded parameter", text: `${base}/..%253Ba/admin`, expected: "path_segments" },
    { name: "another host", text: "https://evil.example/v1", expected: "not_covered" },
    {
      name: "a host that begins the same",
      text: "https://api.notes.example.evil.example/v1",
      expected: "not_covered",
    },
    { name: "a host below", text: "https://a.open.notes.example/", expected: "not_covered" },
    { name: "another port", text: "https://api.notes.example:8443/v1", expected: "not_covered" },
    {
      name: "the usual port where another is allowed",
      text: "https://port.notes.example/x",
      expected: "not_covered",
    },
    {
      name: "a prefix that ends within a segment",
      text: "https://api.notes.example/v10",
      expected: "not_covered",
    },
    { name: "a parameter at the prefix", text: "https://api.notes.example/v1;a", expected: "not_covered" },
    { name: "above the prefix", text: "https://api.notes.example/", expected: "not_covered" },
    {
      name: "other capital letters in the path",
      text: "https://api.notes.example/V1",
      expected: "not_covered",
    },
    {
      name: "https where loopback http is allowed",
      text: "https://127.0.0.1:4000/api",
      expected: "not_covered",
    },
    {
      name: "the prefix in other encoding",
      text: "https://api.notes.example/%76%31/x",
      expected: "not_covered",
    },
  ])("with $name", ({ text, expected }) => {
    expect(reason(text)).toBe(expected);
  });

  test("as loopback http in production", () => {
    expect(reason("http://127.0.0.1:4000/api", { allowInsecureLoopback: false })).toBe("scheme");
  });

  test("without the text of the address in the message, and with its host where it is known", () => {
    expect(() => checkTarget(["https://evil.example/secret?q=secret"], rules)).toThrow(
      expect.objectContaining({
        host: "evil.example",
        message: expect.not.stringMatching(/secret|evil/) as string,
      }) as Error,
    );
  });
});

test("whatever is allowed stays below its prefix in every reading of it", () => {
  const part = constantFrom(
    "a",
    "..",
    ".",
    "%2e",
    "%2f",
    "/",
    "//",
    "\\",
    ";",
    "?",
    "#",
    "%25",
    "2e",
    "@",
    ":",
    "v1",
  );
  assert(
    property(array(part, { maxLength: 12 }), (parts) => {
      const text = `https://api.notes.example/v1${parts.join("")}`;
      if (reason(text) !== "allowed") return;
      const { url } = checkTarget([text], rules);
      expect(url.origin).toBe("https://api.notes.example");
      let path = url.pathname;
      for (let times = 0; times < 3; times += 1) {
        const read = new URL(
          path.replaceAll("\\", "/").replaceAll(/;[^/]*/g, ""),
          "https://api.notes.example",
        );
        expect(`${read.pathname}/`).toMatch(/^\/v1\//);
        path = decodeAgain(path);
      }
    }),
    { numRuns: 2_000 },
  );
});

/** What somebody reads who decodes once more: bytes that are no UTF-8 stay as they are. */
function decodeAgain(path: string): string {
  return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    const text = Buffer.from(encoded.replaceAll("%", ""), "hex").toString();
    return text.includes("\ufffd") ? encoded : text;
  });
}
