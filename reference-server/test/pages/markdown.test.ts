import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../src/pages/skill-page.js";

describe("Markdown from outside", () => {
  test("becomes headings below the page's own, lists, code and tables", () => {
    const html = renderMarkdown("# List\n\n- `a`\n\n```sh\nauthz request\n```\n\n| a |\n|---|\n| b |\n").text;
    for (const part of ["<h2>List</h2>", "<li><code>a</code></li>", "authz request", "<td>b</td>"]) {
      expect(html).toContain(part);
    }
  });

  test.each([
    { name: "HTML", markdown: "<script>alert(1)</script>", wanted: "&lt;script&gt;" },
    { name: "HTML in a line", markdown: "a <img src=x onerror=alert(1)> b", wanted: "&lt;img" },
    { name: "a javascript: link", markdown: "[x](javascript:alert(1))", wanted: "[x](javascript:" },
    { name: "a data: link", markdown: "[x](data:text/html,1)", wanted: "[x](data:" },
    { name: "an http: link", markdown: "[x](http://evil.example)", wanted: "[x](http:" },
    { name: "a link without a host", markdown: "[x](/sign-out)", wanted: "[x](/sign-out)" },
    { name: "a link by protocol-relative address", markdown: "[x](//evil.example)", wanted: "[x](//" },
    { name: "a javascript: autolink", markdown: "<javascript:alert(1)>", wanted: "&lt;javascript:" },
    { name: "an entity in a link", markdown: "[x](&#106;avascript:alert(1))", wanted: "[x](" },
    {
      name: "a quote in a title",
      markdown: '[x](https://a.example "\\"onclick=1")',
      wanted: "&quot;onclick",
    },
  ])("is inert: $name", ({ markdown, wanted }) => {
    const html = renderMarkdown(markdown).text;
    expect(html).toContain(wanted);
    expect(html).not.toMatch(/<(?:script|img|iframe)|href="(?!https:\/\/)|<[^>]* on/);
  });

  test("loads no image", () => {
    expect(renderMarkdown("![x](https://evil.example/pixel.png)").text).not.toContain("<img");
  });

  test("is shown as it is when it is very long, so that nobody keeps the server busy with it", () => {
    const text = `# <b>\n${"[x\n".repeat(30_000)}`;
    expect(renderMarkdown(text).text).toMatch(/^<pre tabindex="0"># &#60;b&#62;\n\[x/);
  });

  test("links to https addresses, which learn nothing", () => {
    expect(renderMarkdown("[x](https://a.example/b)").text).toContain(
      '<a href="https://a.example/b" rel="noopener noreferrer nofollow">x</a>',
    );
  });
});
