import { describe, expect, it } from "vitest";
import { freshnessSeconds } from "../src/freshness.js";

const at = "Fri, 20 Nov 2026 12:00:00 GMT";
const minuteLater = "Fri, 20 Nov 2026 12:01:00 GMT";

describe("freshnessSeconds", () => {
  it.each([
    { headers: { "cache-control": "public, max-age=300" }, seconds: 300 },
    { headers: { "cache-control": "MAX-AGE=300" }, seconds: 300 },
    { headers: { "cache-control": 'max-age="300"' }, seconds: 300 },
    { headers: { "cache-control": "max-age=300", age: "299" }, seconds: 1 },
    { headers: { "cache-control": "max-age=300", age: "300" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300", age: "100000" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300", age: "-1" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300, s-maxage=60" }, seconds: 60 },
    { headers: { "cache-control": "max-age=300, max-age=60" }, seconds: 60 },
    { headers: { "cache-control": "max-age=60, max-age=oops" }, seconds: 0 },
    { headers: { "cache-control": "max-age=0" }, seconds: 0 },
    { headers: { "cache-control": "max-age=" }, seconds: 0 },
    { headers: { "cache-control": "max-age=-5" }, seconds: 0 },
    { headers: { "cache-control": "max-age=1.5" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300, no-store" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300, no-cache" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300, private" }, seconds: 0 },
    { headers: { "cache-control": 'max-age=300, private="set-cookie"' }, seconds: 0 },
    { headers: { "cache-control": "public" }, seconds: 0 },
    { headers: {}, seconds: 0 },
    { headers: { "last-modified": at, date: minuteLater }, seconds: 0 },
    { headers: { date: at, expires: minuteLater }, seconds: 60 },
    { headers: { date: minuteLater, expires: at }, seconds: 0 },
    { headers: { date: at, expires: "0" }, seconds: 0 },
    { headers: { expires: minuteLater }, seconds: 0 },
    { headers: { "cache-control": "max-age=5", date: at, expires: minuteLater }, seconds: 5 },
    { headers: { "cache-control": "max-age=300", vary: "*" }, seconds: 0 },
    { headers: { "cache-control": "max-age=300", vary: "Origin" }, seconds: 300 },
  ])("gives $seconds s for $headers", ({ headers, seconds }) => {
    expect(freshnessSeconds(headers)).toBe(seconds);
  });
});
