import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { LogoError, readLogo } from "../../../src/pages/branding/read-logo.js";

const svg = (content: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"${attributes}>${content}</svg>`;
const read = (text: string) => readLogo(Buffer.from(text), "image/svg+xml");

/** A PNG of one pixel. */
export function tinyPng(width = 1, behind = ""): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, "latin1"), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(1, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(4))),
    chunk("IEND", Buffer.alloc(0)),
    Buffer.from(behind),
  ]);
}

describe("takes", () => {
  test.each([
    { name: "shapes", text: svg('<path d="M0 0h32v32z" fill="#123"/>') },
    {
      name: "a declaration, comments, a style, gradients and entities",
      text: `<?xml version="1.0" encoding="UTF-8"?>\n<!-- Acme & Co -->\n${svg(
        "<title>Acme &amp; Co &#8482;</title><defs><style>.a{fill:url(#g)}</style>" +
          '<linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs>' +
          '<g clip-path=\'url(#g)\'><rect class="a" width="3" height="3"/></g>',
      )}\n`,
    },
  ])("an SVG with $name, as it is", ({ text }) => {
    const logo = read(text);
    expect(logo.content.toString()).toBe(text);
    expect(logo).toMatchObject({
      type: "image/svg+xml",
      digest: expect.stringMatching(/^[\w-]{43}$/) as string,
    });
  });

  test("a PNG", () => expect(readLogo(tinyPng(), "image/png").type).toBe("image/png"));
});

describe("refuses an SVG with", () => {
  test.each([
    { name: "a script", text: svg("<script>alert(1)</script>"), reason: "<script>" },
    { name: "a script in other case", text: svg("<SCRIPT>alert(1)</SCRIPT>"), reason: "<SCRIPT>" },
    { name: "an event handler", text: svg("", ' onload="alert(1)"'), reason: "event handler onload" },
    { name: "an event handler after a line break", text: svg('<g\nonclick = "x"/>'), reason: "onclick" },
    { name: "foreign content", text: svg("<foreignObject><p/></foreignObject>"), reason: "<foreignObject>" },
    { name: "a link", text: svg('<a href="javascript:alert(1)"><path/></a>'), reason: "<a>" },
    {
      name: "an image from elsewhere",
      text: svg('<image href="https://evil.example/x.png"/>'),
      reason: "<image>",
    },
    { name: "use", text: svg('<use href="#a"/>'), reason: "<use>" },
    { name: "animation", text: svg('<set attributeName="onload" to="x"/>'), reason: "<set>" },
    {
      name: "a reference outside",
      text: svg('<linearGradient href="https://evil.example/#g"/>'),
      reason: "outside: href",
    },
    { name: "an address in a paint", text: svg('<path fill="url(//evil.example/x)"/>'), reason: "url()" },
    { name: "an encoded address", text: svg('<path fill="&#117;rl(//evil.example)"/>'), reason: "url()" },
    { name: "an import", text: svg("<style>@import '//evil.example';</style>"), reason: "import" },
    {
      name: "an address in a style",
      text: svg("<style>g{fill:url(//evil.example)}</style>"),
      reason: "url()",
    },
    {
      name: "an address in a style, cut by a comment",
      text: svg("<style>a{fill:u<!-- -->rl(//evil.example)}</style>"),
      reason: "something in a style that is not allowed",
    },
    {
      name: "an address in a style, cut by an element",
      text: svg("<style>a{fill:u<g/>rl(//evil.example)}</style>"),
      reason: "something in a style that is not allowed",
    },
    { name: "a source in a style", text: svg('<style>a{fill:src("//x")}</style>'), reason: "expression" },
    { name: "an escape in a style", text: svg('<g style="fill:\\75rl(//x)"/>'), reason: "escape" },
    { name: "a document type", text: `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("")}`, reason: "document type" },
    { name: "an entity of its own", text: svg("<text>&evil;</text>"), reason: "entity" },
    { name: "CDATA", text: svg("<style><![CDATA[a]]></style>"), reason: "not plain SVG" },
    { name: "a processing instruction", text: svg("<?xml-stylesheet href='//x'?>"), reason: "processing" },
    {
      name: "another vocabulary",
      text: svg("", ' xmlns:x="http://www.w3.org/1999/xhtml"'),
      reason: "vocabulary",
    },
    { name: "elements of another vocabulary", text: svg("<x:script/>"), reason: "other vocabularies" },
    { name: "no namespace", text: "<svg><path/></svg>", reason: "must have xmlns" },
    { name: "another root", text: "<html></html>", reason: "is not an SVG" },
    { name: "something behind it", text: `${svg("")}<script/>`, reason: "more than one root" },
    { name: "text behind it", text: `${svg("")}alert(1)`, reason: "is not an SVG" },
    { name: "an end that fits nothing", text: svg("<g></path></g>"), reason: "well-formed" },
    { name: "no end", text: svg("").replace("</svg>", ""), reason: "is incomplete" },
    { name: "an attribute twice", text: svg('<g id="a" id="b"/>'), reason: "twice" },
    { name: "an attribute without quotes", text: svg("<g id=a/>"), reason: "well-formed" },
    {
      name: "more depth than anybody draws",
      text: svg("<g>".repeat(60) + "</g>".repeat(60)),
      reason: "deeply",
    },
    { name: "nothing in it", text: "", reason: "is incomplete" },
  ])("$name", ({ text, reason }) => {
    expect(() => read(text)).toThrow(LogoError);
    expect(() => read(text)).toThrow(reason);
  });
});

describe("refuses", () => {
  test.each([
    {
      name: "what is no image",
      bytes: Buffer.from([0xff, 0xd8, 0xff]),
      type: "image/png",
      reason: "neither PNG",
    },
    { name: "a PNG under another name", bytes: tinyPng(), type: "image/svg+xml", reason: "was sent as" },
    {
      name: "a PNG that is cut off",
      bytes: tinyPng().subarray(0, 40),
      type: "image/png",
      reason: "complete",
    },
    {
      name: "a PNG with something behind",
      bytes: tinyPng(1, "<svg/>"),
      type: "image/png",
      reason: "after its end",
    },
    { name: "a PNG of a million pixels in width", bytes: tinyPng(1e6), type: "image/png", reason: "4096" },
    { name: "64 KiB and a byte", bytes: Buffer.alloc(65_537), type: "image/png", reason: "at most 65536" },
  ])("$name", ({ bytes, type, reason }) => expect(() => readLogo(bytes, type)).toThrow(reason));
});
