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
  test.each<[name: string, expected: string, text: string | readonly string[]]>([
    ["none", "missing", []],
    ["an empty one", "missing", ""],
    ["two", "several", [base, base]],
    ["a very long one", "too_long", `${base}/${"a".repeat(8192)}`],
    ["a tab in the host", "characters", "https://api.no\ttes.example/v1"],
    ["a line break in the scheme", "characters", "ht\ntps://api.notes.example/v1"],
    ["a space before it", "characters", ` ${base}`],
    ["a space in the path", "characters", `${base}/a b`],
    ["a NUL", "characters", `${base}/a\0`],
    ["letters beyond ASCII", "characters", "https://bücher.example/a"],
    ["a full-width dot in the host", "characters", "https://api。notes.example/v1"],
    ["a backslash for a slash", "characters", "https:\\\\api.notes.example\\v1"],
    ["a backslash in the path", "characters", `${base}\\..\\..`],
    ["a backslash before an @", "characters", "https://evil.example\\@api.notes.example/v1"],
    ["a path alone", "not_absolute", "/v1"],
    ["no scheme", "not_absolute", "//api.notes.example/v1"],
    ["one slash", "not_absolute", "https:/api.notes.example/v1"],
    ["no slash", "not_absolute", "https:api.notes.example/v1"],
    ["three slashes", "host", "https:///api.notes.example/v1"],
    ["another scheme", "scheme", "ftp://api.notes.example/v1"],
    ["a file", "scheme", "file:///etc/passwd"],
    ["plain http", "scheme", "http://api.notes.example/v1"],
    ["plain http that is in a prefix", "scheme", "http://plain.notes.example/api"],
    ["a user name", "user_information", "https://a@api.notes.example/v1"],
    ["a password", "user_information", "https://a:b@api.notes.example/v1"],
    ["an empty user name", "user_information", "https://@api.notes.example/v1"],
    ["the host as a user name", "user_information", "https://api.notes.example@evil.example/v1"],
    ["a fragment", "fragment", `${base}#a`],
    ["an empty fragment", "fragment", `${base}#`],
    ["no host", "host", "https://"],
    ["a host longer than names can be", "host", `https://${"a.".repeat(127)}ab/v1`],
    ["a dot after the host", "host", "https://api.notes.example./v1"],
    ["two dots in the host", "host", "https://api..notes.example/v1"],
    ["an encoded host", "host", "https://api%2enotes.example/v1"],
    ["a zone of IPv6", "host", "https://[fe80::1%25eth0]/v1"],
    ["a port that is none", "host", "https://api.notes.example:99999/v1"],
    ["an empty port", "host", "https://api.notes.example:/v1"],
    ["a short address", "host", "http://127.1:4000/api"],
    ["a hexadecimal address", "host", "http://0x7f.0.0.1:4000/api"],
    ["a decimal address", "host", "http://2130706433:4000/api"],
    ["an octal address", "host", "http://0177.0.0.1:4000/api"],
    ["an encoded dot", "path_encoding", `${base}/%2e%2e/x`],
    ["an encoded dot within a name", "path_encoding", `${base}/a%2Eb`],
    ["an encoded slash", "path_encoding", `${base}/a%2Fb`],
    ["an encoded backslash", "path_encoding", `${base}/..%5c..`],
    ["a dot that is encoded twice", "path_encoding", `${base}/%252e%252E`],
    ["a slash that is encoded three times", "path_encoding", `${base}/%25252f`],
    ["an encoded NUL", "path_encoding", `${base}/a%00`],
    ["an encoded line break", "path_encoding", `${base}/a%0d%0aHost:%20x`],
    ["a broken encoding", "path_encoding", `${base}/a%zz`],
    ["an encoding that ends early", "path_encoding", `${base}/a%2`],
    ["an encoding of IIS", "path_encoding", `${base}/%u002e`],
    ["an overlong dot", "path_encoding", `${base}/%c0%ae%c0%ae/x`],
    ["two slashes", "path_segments", `${base}//x`],
    ["two slashes at the end", "path_segments", `${base}//`],
    ["two slashes at the beginning", "path_segments", "https://open.notes.example//v1"],
    ["dots that go up", "path_segments", `${base}/../admin`],
    ["dots that go up and come back", "path_segments", `${base}/../v1/x`],
    ["a dot alone", "path_segments", `${base}/./x`],
    ["dots at the end", "path_segments", `${base}/..`],
    ["dots with a parameter", "path_segments", `${base}/..;a=b/admin`],
    ["dots with an encoded parameter", "path_segments", `${base}/..%253Ba/admin`],
    ["another host", "not_covered", "https://evil.example/v1"],
    ["a host that begins the same", "not_covered", "https://api.notes.example.evil.example/v1"],
    ["a host below", "not_covered", "https://a.open.notes.example/"],
    ["another port", "not_covered", "https://api.notes.example:8443/v1"],
    ["the usual port where another is allowed", "not_covered", "https://port.notes.example/x"],
    ["a prefix that ends within a segment", "not_covered", "https://api.notes.example/v10"],
    ["a parameter at the prefix", "not_covered", "https://api.notes.example/v1;a"],
    ["above the prefix", "not_covered", "https://api.notes.example/"],
    ["other capital letters in the path", "not_covered", "https://api.notes.example/V1"],
    ["https where loopback http is allowed", "not_covered", "https://127.0.0.1:4000/api"],
    ["the prefix in other encoding", "not_covered", "https://api.notes.example/%76%31/x"],
  ])("with %s", (_name, expected, text) => {
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

test("an allowed address stays below its prefix for every parser", () => {
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
