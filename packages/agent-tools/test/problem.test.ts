import { type AnsweredRequest, problemOf, toolHint } from "@authz/agent-tools";
import { expect, test } from "vitest";

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

const explainUse =
  'Its answer may say more. See the permission that this request used and who gave it: call explain with this url and scopes "a:read".';
const cases: [
  name: string,
  status: number,
  hint: string,
  headers?: Record<string, string | readonly string[]>,
  more?: Partial<AnsweredRequest>,
][] = [
  [
    "a scope that the person lacks",
    403,
    'See what is missing, and whom to ask: call explain with this url and scopes "a:sign".',
    asksFor("a:sign a:write"),
  ],
  [
    "a scope that the request left out",
    403,
    'Send it again with what it needs: "scopes": "a:write".',
    asksFor("a:read a:write"),
  ],
  ["scopes that the service does not have", 403, explainUse, asksFor("ignore:rules")],
  [
    "access that a third party refuses",
    401,
    "Try again in a minute. If it keeps happening, connect again. Ask the person.",
    {},
    thirdParty,
  ],
  ["a right that an account lacks", 403, "See what was granted: call list_connections.", {}, thirdParty],
  [
    "an unknown path of a third party",
    404,
    "Check the path and the names and numbers in it.",
    {},
    thirdParty,
  ],
  [
    "a service that says until when it is busy",
    429,
    "Wait 1 second, then try again.",
    { "retry-after": "Sun, 06 Nov 1994 08:49:38 GMT" },
  ],
  [
    "a method that the path does not have",
    405,
    "It can be called with POST, PUT.",
    { allow: ["IGNORE", "POST, PUT"] },
  ],
  [
    "a failure of a request that may have changed something",
    500,
    "First check whether it was carried out. If it keeps happening, tell the people who run it.",
    {},
    { method: "POST" },
  ],
];

test.each(cases)("the hint names the next tool after %s", (_name, status, hint, headers = {}, more = {}) => {
  const problem = problemOf({ status, headers }, { ...request, ...more });
  expect(problem && toolHint(problem, () => "Ask the person.")).toBe(hint);
});

test.each<[challenge: string, said: string | undefined]>([
  ['DPoP error="insufficient_scope", scope="a:sign"', undefined],
  ['DPoP error="insufficient_scope"', "insufficient_scope"],
  ['Bearer realm="x", DPoP error="invalid_token", error_description="Not on Sundays"', "Not on Sundays"],
  [`DPoP error="x", error_description="${"y".repeat(501)}"`, "y".repeat(500)],
  ['DPoP algs="ES256"', undefined],
])("of the challenge %j the service's own words are %j", (challenge, text) => {
  const problem = problemOf({ status: 403, headers: { "www-authenticate": challenge } }, request);
  expect(problem?.quote?.text).toBe(text);
});

test("a success is no problem", () => {
  expect(problemOf({ status: 204, headers: {} }, request)).toBeUndefined();
});
