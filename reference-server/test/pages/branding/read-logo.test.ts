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
    ["a script", svg("<script>alert(1)</script>"), "<script>"],
    ["a script in other case", svg("<SCRIPT>alert(1)</SCRIPT>"), "<SCRIPT>"],
    ["an event handler", svg("", ' onload="alert(1)"'), "event handler onload"],
    ["an event handler after a line break", svg('<g\nonclick = "x"/>'), "onclick"],
    ["foreign content", svg("<foreignObject><p/></foreignObject>"), "<foreignObject>"],
    ["a link", svg('<a href="javascript:alert(1)"><path/></a>'), "<a>"],
    ["an image from elsewhere", svg('<image href="https://evil.example/x.png"/>'), "<image>"],
    ["use", svg('<use href="#a"/>'), "<use>"],
    ["animation", svg('<set attributeName="onload" to="x"/>'), "<set>"],
    ["a reference outside", svg('<linearGradient href="https://evil.example/#g"/>'), "outside: href"],
    ["an address in a paint", svg('<path fill="url(//evil.example/x)"/>'), "url()"],
    ["an encoded address", svg('<path fill="&#117;rl(//evil.example)"/>'), "url()"],
    ["an import", svg("<style>@import '//evil.example';</style>"), "import"],
    ["an address in a style", svg("<style>g{fill:url(//evil.example)}</style>"), "url()"],
    [
      "an address in a style, cut by a comment",
      svg("<style>a{fill:u<!-- -->rl(//evil.example)}</style>"),
      "something in a style that is not allowed",
    ],
    [
      "an address in a style, cut by an element",
      svg("<style>a{fill:u<g/>rl(//evil.example)}</style>"),
      "something in a style that is not allowed",
    ],
    ["a source in a style", svg('<style>a{fill:src("//x")}</style>'), "expression"],
    ["an escape in a style", svg('<g style="fill:\\75rl(//x)"/>'), "escape"],
    ["a document type", `<!DOCTYPE svg [<!ENTITY a "b">]>${svg("")}`, "document type"],
    ["an entity of its own", svg("<text>&evil;</text>"), "entity"],
    ["CDATA", svg("<style><![CDATA[a]]></style>"), "not plain SVG"],
    ["a processing instruction", svg("<?xml-stylesheet href='//x'?>"), "processing"],
    ["another vocabulary", svg("", ' xmlns:x="http://www.w3.org/1999/xhtml"'), "vocabulary"],
    ["elements of another vocabulary", svg("<x:script/>"), "other vocabularies"],
    ["no namespace", "<svg><path/></svg>", "must have xmlns"],
    ["another root", "<html></html>", "is not an SVG"],
    ["something behind it", `${svg("")}<script/>`, "more than one root"],
    ["text behind it", `${svg("")}alert(1)`, "is not an SVG"],
    ["an end that fits nothing", svg("<g></path></g>"), "well-formed"],
    ["no end", svg("").replace("</svg>", ""), "is incomplete"],
    ["an attribute twice", svg('<g id="a" id="b"/>'), "twice"],
    ["an attribute without quotes", svg("<g id=a/>"), "well-formed"],
    ["too much depth", svg("<g>".repeat(60) + "</g>".repeat(60)), "deeply"],
    ["nothing in it", "", "is incomplete"],
  ])("%s", (_name, text, reason) => {
    expect(() => read(text)).toThrow(LogoError);
    expect(() => read(text)).toThrow(reason);
  });
});

describe("refuses", () => {
  test.each([
    ["what is no image", Buffer.from([0xff, 0xd8, 0xff]), "image/png", "neither PNG"],
    ["a PNG under another name", tinyPng(), "image/svg+xml", "was sent as"],
    ["a PNG that is cut off", tinyPng().subarray(0, 40), "image/png", "complete"],
    ["a PNG with something behind", tinyPng(1, "<svg/>"), "image/png", "after its end"],
    ["a PNG of a million pixels in width", tinyPng(1e6), "image/png", "4096"],
    ["64 KiB and a byte", Buffer.alloc(65_537), "image/png", "at most 65536"],
  ])("%s", (_name, bytes, type, reason) => expect(() => readLogo(bytes, type)).toThrow(reason));
});
