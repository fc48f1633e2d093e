import { expect, test } from "vitest";
import { html } from "../../src/pages/html.js";
import { renderErrorPage } from "../../src/pages/problem-page.js";

test("what is put into a template is escaped, and what is HTML already is not", () => {
  const inner = html`<i>${"<&>\"'"}</i>`;
  expect(html`<p title="${'"'}">${inner}${[inner]}${false}${undefined}${1}</p>`.text).toBe(
    '<p title="&#34;"><i>&#60;&#38;&#62;&#34;&#39;</i><i>&#60;&#38;&#62;&#34;&#39;</i>1</p>',
  );
});

test.each([
  { status: 404, title: "There is no page here" },
  { status: 413, title: "This did not work" },
  { status: 500, title: "Something failed here" },
])("the page for status $status says: $title", ({ status, title }) => {
  const page = renderErrorPage({ status, error: "code", description: "What happened." });
  expect(page).toContain(`<h1>${title}</h1>`);
  expect(page).toContain("What happened.");
  expect(page).not.toContain("<script");
});
