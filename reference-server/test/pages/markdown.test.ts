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
    ["HTML", "<script>alert(1)</script>", "&lt;script&gt;"],
    ["HTML in a line", "a <img src=x onerror=alert(1)> b", "&lt;img"],
    ["a javascript: link", "[x](javascript:alert(1))", "[x](javascript:"],
    ["a data: link", "[x](data:text/html,1)", "[x](data:"],
    ["an http: link", "[x](http://evil.example)", "[x](http:"],
    ["a link without a host", "[x](/sign-out)", "[x](/sign-out)"],
    ["a link by protocol-relative address", "[x](//evil.example)", "[x](//"],
    ["a javascript: autolink", "<javascript:alert(1)>", "&lt;javascript:"],
    ["an entity in a link", "[x](&#106;avascript:alert(1))", "[x]("],
    ["a quote in a title", '[x](https://a.example "\\"onclick=1")', "&quot;onclick"],
  ])("is inert: %s", (_name, markdown, wanted) => {
    const html = renderMarkdown(markdown).text;
    expect(html).toContain(wanted);
    expect(html).not.toMatch(/<(?:script|img|iframe)|href="(?!https:\/\/)|<[^>]* on/);
  });

  test("loads no image", () => {
    expect(renderMarkdown("![x](https://evil.example/pixel.png)").text).not.toContain("<img");
  });

  test("is shown unformatted when it is very long, which bounds the work", () => {
    const text = `# <b>\n${"[x\n".repeat(30_000)}`;
    expect(renderMarkdown(text).text).toMatch(/^<pre tabindex="0"># &#60;b&#62;\n\[x/);
  });

  test("links to https addresses, which learn nothing", () => {
    expect(renderMarkdown("[x](https://a.example/b)").text).toContain(
      '<a href="https://a.example/b" rel="noopener noreferrer nofollow">x</a>',
    );
  });
});
