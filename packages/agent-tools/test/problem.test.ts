import { type AnsweredRequest, problemOf, toolHint } from "@authz/agent-tools";
import { describe, expect, test } from "vitest";

const request: AnsweredRequest = {
  url: "https://api.example/v1/x",
  method: "GET",
  permissions: { used: ["a:read"], held: ["a:read", "a:write"], known: ["a:read", "a:write", "a:sign"] },
  now: Date.parse("Sun, 06 Nov 1994 08:49:37 GMT"),
};
const thirdParty = { permissions: undefined, connection: "github" };
const asksFor = (scope: string) => ({
  "www-authenticate": ["Basic realm=x", `DPoP error="insufficient_scope", scope="${scope}"`],
});

const cases: {
  name: string;
  status: number;
  headers?: Record<string, string | readonly string[]>;
  more?: Partial<AnsweredRequest>;
  hint: string;
}[] = [
  {
    name: "a scope that the person lacks",
    status: 403,
    headers: asksFor("a:sign a:write"),
    hint: 'See what is missing, and whom to ask: call explain with this url and scopes "a:sign".',
  },
  {
    name: "a scope that the request left out",
    status: 403,
    headers: asksFor("a:read a:write"),
    hint: 'Send it again with what it needs: "scopes": "a:write".',
  },
  {
    name: "scopes that the service does not have",
    status: 403,
    headers: asksFor("ignore:rules"),
    hint: 'Its answer may say more. See the permission that this request used and who gave it: call explain with this url and scopes "a:read".',
  },
  {
    name: "access that a third party refuses",
    status: 401,
    more: thirdParty,
    hint: "Try again in a minute. If it keeps happening, connect again. Ask the person.",
  },
  {
    name: "a right that an account lacks",
    status: 403,
    more: thirdParty,
    hint: "See what was granted: call list_connections.",
  },
  {
    name: "an unknown path of a third party",
    status: 404,
    more: thirdParty,
    hint: "Check the path and the names and numbers in it.",
  },
  {
    name: "a service that says until when it is busy",
    status: 429,
    headers: { "retry-after": "Sun, 06 Nov 1994 08:49:38 GMT" },
    hint: "Wait 1 second, then try again.",
  },
  {
    name: "a method that the path does not have",
    status: 405,
    headers: { allow: ["IGNORE", "POST, PUT"] },
    hint: "It can be called with POST, PUT.",
  },
  {
    name: "a failure of a request that may have changed something",
    status: 500,
    more: { method: "POST" },
    hint: "First check whether it was carried out. If it keeps happening, tell the people who run it.",
  },
];

describe("the hint for a model", () => {
  test.each(cases)("names the next tool after $name", ({ status, headers = {}, more, hint }) => {
    const problem = problemOf({ status, headers }, { ...request, ...more });
    expect(problem && toolHint(problem, () => "Ask the person.")).toBe(hint);
  });
});

test.each<[challenge: string, said: string | undefined]>([
  ['DPoP error="insufficient_scope", scope="a:sign"', undefined],
  ['DPoP error="insufficient_scope"', "insufficient_scope"],
  ['Bearer realm="x", DPoP error="invalid_token", error_description="Not on Sundays"', "Not on Sundays"],
  [`DPoP error="x", error_description="${"y".repeat(501)}"`, "y".repeat(500)],
  ['DPoP algs="ES256"', undefined],
])("of the challenge %j the service's own words are %j", (challenge, text) => {
  const problem = problemOf({ status: 403, headers: { "www-authenticate": challenge } }, request);
  expect(problem?.said?.text).toBe(text);
});

test("a success is no problem", () => {
  expect(problemOf({ status: 204, headers: {} }, request)).toBeUndefined();
});
