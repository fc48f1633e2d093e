import { expect, test } from "vitest";
import { parseForms, parseLinks, parseRefresh } from "../../src/scriptless/forms.js";

const url = new URL("https://authz.example.com/here");
const headers = new Headers({ "referrer-policy": "no-referrer" });

test("reads what a browser would send, and what its buttons say", () => {
  const [form] = parseForms(
    {
      headers,
      html: `
    <form action="/consent?a=1&amp;b=2" method=post>
      <input type="hidden" name="csrf" value="&quot;x&quot; &#38; &#x26;">
      <input name='plain' value='y'><input name="empty"><input type=checkbox name=off value=1>
      <input type="checkbox" name="on" value="1" checked><input type="submit" name="go" value="Go">
      <input name="gone" value="1" disabled>
      <button name="decision" value="deny">Deny</button>
      <button name="decision" value="allow"><span>Allow</span>
        &amp; go on</button>
    </form>`,
    },
    url,
  );
  expect(form).toEqual({
    action: new URL("https://authz.example.com/consent?a=1&b=2"),
    method: "POST",
    fields: { csrf: '"x" & &', plain: "y", empty: "", on: "1" },
    buttons: [
      { name: "decision", value: "deny", text: "Deny" },
      { name: "decision", value: "allow", text: "Allow & go on" },
    ],
    from: { url, referrerPolicy: "no-referrer" },
  });
});

test("finds every form, and none on a page without one", () => {
  expect(
    parseForms({ headers, html: "<form></form><FORM action=x></FORM>" }, url).map(({ action, method }) => [
      action.pathname,
      method,
    ]),
  ).toEqual([
    ["/here", "GET"],
    ["/x", "GET"],
  ]);
  expect(parseForms({ headers, html: "<p>No form.</p>" }, url)).toEqual([]);
});

test("finds links with their words, and leaves out what leads nowhere", () => {
  const html = `<a name="here">Here</a><a href="http://[">Broken</a><abbr href="/no">No</abbr>
    <p><A class=button href="http://127.0.0.1:1/callback?a=1&amp;b=2">Back <b>to</b>
      it</A></p>`;
  expect(parseLinks(html, url)).toEqual([
    { url: new URL("http://127.0.0.1:1/callback?a=1&b=2"), text: "Back to it" },
  ]);
});

test("follows a page that leads on at once, and stays at others", () => {
  const page = (content: string): string =>
    `<meta charset="utf-8"><meta http-equiv="refresh" content="${content}">`;
  expect(parseRefresh(page("0; url=https://notes.example/auth?a=1&amp;b=2"))).toBe(
    "https://notes.example/auth?a=1&b=2",
  );
  expect([parseRefresh(page("5; url=/later")), parseRefresh(page("10")), parseRefresh("<p>")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
