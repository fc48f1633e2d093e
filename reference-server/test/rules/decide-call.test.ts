import { array, assert, constant, constantFrom, integer, oneof, property, record, string } from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallRule } from "../../src/rules/call-rule.js";
import { type CallDecision, decideCall } from "../../src/rules/decide-call.js";
import type { RuledCall } from "../../src/rules/readable-call.js";

interface CallChanges extends Partial<Omit<RuledCall, "url">> {
  readonly path?: string;
}

const json = [["Content-Type", "application/json"]] as const;

function callWith({ path = "/payments", ...changes }: CallChanges = {}): RuledCall {
  return {
    method: "POST",
    url: new URL(`https://pay.example${path}`),
    headers: json,
    body: Buffer.from('{"amount": 50}'),
    person: { id: "5f0c4ab5-9bd5-4f3d-9c68-9d9b1c0c8f0a", email: "ada@example.com" },
    app: { id: "claude" },
    now: new Date("2026-11-24T10:00:00Z"),
    ...changes,
  };
}

function body(text: string): CallChanges {
  return { body: Buffer.from(text) };
}

function short({ outcome, rule, unclear }: CallDecision): string {
  const who = outcome.type === "ask" && outcome.approver !== "self" ? ` ${outcome.approver.group}` : "";
  return `${outcome.type}${who} #${String(rule)}${unclear === undefined ? "" : ` ${unclear}`}`;
}

function decide(rules: readonly CallRule[], changes: CallChanges = {}): string {
  return short(decideCall(rules, callWith(changes)));
}

const rules: readonly CallRule[] = [
  { methods: ["DELETE"], ask: "self" },
  { methods: ["POST"], path: "/payments", when: "body.amount > 1000", ask: "group:okta:finance" },
  { path: "/archive/{...}", refuse: "Ask the records team." },
  { methods: ["PUT"], limit: { calls: 50, per: "day" }, beyond: "ask" },
  { default: "allow" },
];

describe("the first rule that matches decides", () => {
  test.each<[string, CallChanges, string]>([
    ["a small payment", {}, "allow #4"],
    ["a large payment", body('{"amount": 1000.01}'), "ask finance #1"],
    ["the amount of the limit", body('{"amount": 1000}'), "allow #4"],
    ["a large payment elsewhere", { path: "/quotes", ...body('{"amount": 5000}') }, "allow #4"],
    ["a deletion", { method: "DELETE", body: undefined, path: "/payments/7" }, "ask #0"],
    ["a deletion with another rule", { method: "DELETE", body: undefined, path: "/archive/7" }, "ask #0"],
    ["anything below a path", { path: "/archive/a/b/c" }, "refuse #2"],
    ["the path itself", { path: "/archive" }, "refuse #2"],
    ["a counted call", { method: "PUT", path: "/x" }, "limit #3"],
    ["reading", { method: "GET", body: undefined, path: "/payments" }, "allow #4"],
  ])("%s", (_name, changes, expected) => {
    expect(decide(rules, changes)).toBe(expected);
  });
});

describe("a rule covers every spelling of its path that a service may read", () => {
  const guarded: readonly CallRule[] = [
    { path: "/payments/{id}/refunds", ask: "self" },
    { default: "allow" },
  ];
  test.each([
    "/payments/7/refunds",
    "/payments/7/refunds/",
    "/Payments/7/REFUNDS",
    "/%70ayments/7/refund%73",
    "/payments;v=1/7/refunds;x",
    "/payments/7/refunds.json",
    "/payments/7/ｒefunds".replace("ｒ", "%EF%BD%92"),
    "/payments/7/refunds?x=1",
  ])("%s", (path) => {
    expect(decide(guarded, { path })).toBe("ask #0");
  });

  test.each(["/payments/7", "/payments/7/8/refunds", "/payments/7/refundsx", "/payments//refunds"])(
    "not %s",
    (path) => {
      expect(decide(guarded, { path })).toBe("allow #1");
    },
  );

  test("an address that is encoded twice is unclear", () => {
    expect(decide(guarded, { path: "/payments/7/%2572efunds" })).toBe("ask #0 path");
  });

  test("a rule that allows covers its own spelling only", () => {
    const open: readonly CallRule[] = [{ path: "/public", allow: true }, { default: "refuse" }];
    expect(decide(open, { path: "/public" })).toBe("allow #0");
    expect(decide(open, { path: "/%70ublic" })).toBe("allow #0");
    for (const path of ["/Public", "/public.json", "/public;x"])
      expect(decide(open, { path })).toBe("refuse #1");
  });
});

describe("what cannot be evaluated asks", () => {
  const long = `{"amount": 1, "note": "${"x".repeat(256 * 1024)}"}`;
  test.each<[string, CallChanges, string]>([
    ["a compressed body", { headers: [...json, ["Content-Encoding", "gzip"]] }, "body_encoding"],
    ["a body above 256 KiB", body(long), "body_long"],
    ["a body that is not read", { body: "unread" }, "body_long"],
    ["a duplicate member", body('{"amount": 1, "amount": 5000}'), "body_ambiguous"],
    ["a member that differs in case", body('{"amount": 1, "Amount": 5000}'), "body_ambiguous"],
    ["a byte order mark", body('\ufeff{"amount": 1}'), "body_not_json"],
    ["broken JSON", body('{"amount": 1,}'), "body_ambiguous"],
    ["a number that parsers round", body('{"amount": 1000.00000000000001}'), "body_ambiguous"],
    ["a number without bounds", body('{"amount": 1e400}'), "body_ambiguous"],
    [
      "a form",
      { headers: [["Content-Type", "application/x-www-form-urlencoded"]], ...body("amount=5000") },
      "body_not_json",
    ],
    ["JSON under another name", { headers: [["Content-Type", "text/plain"]] }, "body_not_json"],
    ["two types", { headers: [...json, ["Content-Type", "text/plain"]] }, "body_not_json"],
    ["another charset", { headers: [["Content-Type", "application/json; charset=utf-16"]] }, "body_not_json"],
    ["no body", { body: undefined }, "condition"],
    ["a missing member", body("{}"), "condition"],
    ["a member of another type", body('{"amount": "5000"}'), "condition"],
    ["a batch", body('[{"amount": 1}]'), "batch"],
  ])("%s", (_name, changes, reason) => {
    expect(decide(rules, changes)).toBe(`ask finance #1 ${reason}`);
  });

  test.each<[string, CallChanges, string]>([
    ["GraphQL by its path", { path: "/graphql" }, "graphql"],
    ["GraphQL by its body", body('{"query": "mutation { remove(id: 1) }"}'), "graphql"],
    ["GraphQL by its query", { method: "GET", body: undefined, path: "/api?query=%7Bme%7D" }, "graphql"],
    ["a batch by its path", { path: "/v1/$batch" }, "batch"],
    ["a batch by its type", { headers: [["Content-Type", "multipart/mixed; boundary=x"]] }, "batch"],
    ["a method in the query", { path: "/x?_method=DELETE" }, "method_override"],
    [
      "a method in a form",
      { headers: [["Content-Type", "application/x-www-form-urlencoded"]], ...body("a=1&%5fmethod=delete") },
      "method_override",
    ],
    ["a method in JSON", body('{"_method": "DELETE"}'), "method_override"],
  ])("%s may be anything", (_name, changes, reason) => {
    const onlyDelete: readonly CallRule[] = [{ methods: ["DELETE"], ask: "self" }, { default: "allow" }];
    expect(decide(onlyDelete, changes)).toBe(`ask #0 ${reason}`);
  });

  test.each<[string, CallChanges, string]>([
    ["a batch in a list", body('[{"method": "DELETE", "url": "/payments/1"}]'), "batch"],
    ["a batch in a member", body('{"requests": [{"method": "DELETE", "url": "/payments/1"}]}'), "batch"],
    ["a batch of JSON-RPC", body('[{"jsonrpc": "2.0", "method": "tools/call"}]'), "batch"],
  ])("%s may go to any path", (_name, changes, reason) => {
    expect(decide([{ path: "/archive/{...}", ask: "self" }, { default: "allow" }], changes)).toBe(
      `ask #0 ${reason}`,
    );
  });

  test("a list of values is no batch", () => {
    expect(
      decide([{ methods: ["DELETE"], ask: "self" }, { default: "allow" }], body('["bug", {"name": "x"}]')),
    ).toBe("allow #1");
  });

  test("a body that cannot be read stays on its path", () => {
    const gzip: CallChanges = { headers: [...json, ["Content-Encoding", "gzip"]] };
    expect(decide([{ path: "/archive/{...}", refuse: "No." }, { default: "allow" }], gzip)).toBe("allow #1");
  });

  test("a rule that names the path of a batch knows what it is about", () => {
    const known: readonly CallRule[] = [
      { path: "/graphql", allow: true },
      { methods: ["DELETE"], ask: "self" },
      { default: "allow" },
    ];
    expect(decide(known, { path: "/graphql" })).toBe("allow #0");
  });

  test("never gets less than another rule demands", () => {
    const unclear = body("{}");
    const first = { when: "body.amount > 1", ask: "self" } as const;
    expect(decide([first, { default: "refuse" }], unclear)).toBe("refuse #1 condition");
    expect(decide([first, { ask: "group:okta:finance" }, { default: "allow" }], unclear)).toBe(
      "ask finance #1 condition",
    );
    expect(decide([{ when: "body.amount > 1", refuse: "No." }, { default: "allow" }], unclear)).toBe(
      "refuse #0 condition",
    );
    expect(decide([{ when: "body.amount > 1", allow: true }, { default: "allow" }], unclear)).toBe(
      "ask #0 condition",
    );
    const limit = { when: "body.amount > 1", limit: { calls: 1, per: "day" }, beyond: "refuse" } as const;
    expect(decide([limit, { default: "allow" }], unclear)).toBe("refuse #0 condition");
  });

  test("a large file is no batch", () => {
    const upload: CallChanges = {
      method: "POST",
      path: "/files",
      body: "unread",
      headers: [["Content-Type", "application/octet-stream"]],
    };
    expect(decide([{ methods: ["DELETE"], ask: "self" }, { default: "allow" }], upload)).toBe("allow #1");
  });

  test("a list without a default refuses the rest", () => {
    expect(decide([{ methods: ["DELETE"], ask: "self" }])).toBe("refuse #1");
  });
});

describe("conditions", () => {
  function when(condition: string, changes: CallChanges = {}): string {
    return decide([{ when: condition, refuse: "No." }, { default: "allow" }], changes);
  }
  test.each([
    ["request.method == 'POST' && request.host == 'pay.example'", {}],
    ["request.path.startsWith('/payments')", {}],
    ["request.query.dry == 'no'", { path: "/payments?dry=no" }],
    ["request.headers['idempotency-key'] == 'a'", { headers: [...json, ["Idempotency-Key", "a"]] }],
    ["person.email.endsWith('@example.com') && app.id == 'claude'", {}],
    ["now.getHours('Europe/Berlin') == 11", {}],
    ["body.lines.exists(line, line.price * 2.0 > 10.0)", body('{"lines":[{"price":1},{"price":6}]}')],
    ["size(body.lines) > 1", body('{"lines":[1,2]}')],
    ["body.constructor == null || true", {}],
  ] satisfies [string, CallChanges][])("%s", (condition, changes) => {
    expect(when(condition, changes)).toBe("refuse #0");
  });

  test.each([
    ["a query with a name twice", "request.query.dry == 'no'", { path: "/payments?dry=yes&dry=no" }, "query"],
    ["the same by an index", "request['query'].dry == 'no'", { path: "/payments?dry=yes&dry=no" }, "query"],
    ["a prototype", "body.__proto__ == null", {}, "condition"],
    ["an unknown time zone", "now.getHours('Nowhere') == 1", {}, "condition"],
  ] satisfies [string, string, CallChanges, string][])(
    "%s has no value",
    (_name, condition, changes, reason) => {
      expect(when(condition, changes)).toBe(`refuse #0 ${reason}`);
    },
  );

  test("a loop that takes too long has no value", () => {
    const lines = JSON.stringify({ lines: Array.from({ length: 100_000 }, (_, index) => index % 7) });
    const slow = Array.from({ length: 12 }, () => "body.lines.all(x, x + 1.0 > 0.0)").join(" && ");
    expect(when(slow, body(lines))).toBe("refuse #0 condition");
    expect(when("body.lines.exists(x, x == 3)", body(`{"lines":[1,2,3]}`))).toBe("refuse #0");
  });
});

const someRule = oneof(
  record({
    methods: array(constantFrom("GET" as const, "POST" as const, "DELETE" as const), { minLength: 1 }),
    ask: constant("self"),
  }),
  record({ path: constantFrom("/payments", "/x/{...}"), refuse: constant("No.") }),
  record({
    when: constantFrom("body.amount > 10", "request.query.a == '1'", "size(body.lines) > 2"),
    ask: constantFrom("self", "group:okta:finance"),
  }),
  record({ path: constantFrom("/public", "/payments"), allow: constant(true as const) }),
  record({
    limit: record({ calls: integer({ min: 1 }), per: constantFrom("hour" as const, "day" as const) }),
    beyond: constantFrom("ask" as const, "refuse" as const),
  }),
);
const someBody = oneof(
  string(),
  constantFrom(
    '{"amount":1}',
    '{"amount":11}',
    "[1]",
    '{"lines":[1,2,3]}',
    '{"query":"{a}"}',
    "{",
    '{"a":1,"a":2}',
  ),
);

describe("any list and any call", () => {
  test("get a decision, and an unclear one is never allowed", () => {
    assert(
      property(
        array(someRule, { maxLength: 8 }),
        constantFrom("allow" as const, "ask" as const, "refuse" as const),
        someBody,
        constantFrom("GET", "POST", "DELETE"),
        (list, otherwise, text, method) => {
          const all: readonly CallRule[] = [...list, { default: otherwise }];
          const { outcome, rule, unclear } = decideCall(all, callWith({ method, body: Buffer.from(text) }));
          expect(rule).toBeLessThan(all.length);
          expect(unclear === undefined || outcome.type === "ask" || outcome.type === "refuse").toBe(true);
        },
      ),
    );
  });

  test("without rules that allow, one more rule in front never makes a call freer", () => {
    const rank = { allow: 0, limit: 1, ask: 2, refuse: 3 } as const;
    const held = array(someRule, { maxLength: 6 }).map((list) =>
      list.filter((rule) => !("allow" in rule) && !("limit" in rule)),
    );
    assert(
      property(held, someBody, (list, text) => {
        const call = callWith({ body: Buffer.from(text) });
        const first: CallRule = { when: "body.amount > 10", refuse: "No." };
        const before = decideCall([...list, { default: "allow" }], call).outcome.type;
        const after = decideCall([first, ...list, { default: "allow" }], call).outcome.type;
        expect(rank[after]).toBeGreaterThanOrEqual(rank[before]);
      }),
    );
  });
});
