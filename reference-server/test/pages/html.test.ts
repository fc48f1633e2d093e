import { expect, test } from "vitest";
import { html } from "../../src/pages/html.js";

test("what is put into a template is escaped, and what is HTML already is not", () => {
  const inner = html`<i>${"<&>\"'"}</i>`;
  expect(html`<p title="${'"'}">${inner}${[inner]}${false}${undefined}${1}</p>`.text).toBe(
    '<p title="&#34;"><i>&#60;&#38;&#62;&#34;&#39;</i><i>&#60;&#38;&#62;&#34;&#39;</i>1</p>',
  );
});
