import { expect, test } from "vitest";
import { freshSeconds } from "../../../src/oauth/clients/metadata-document/fetch-document.js";

const now = Date.UTC(2026, 10, 20, 12);
const at = (seconds: number) => new Date(now + seconds * 1000).toUTCString();

test.each([
  { headers: {}, seconds: 300 },
  { headers: { "cache-control": "max-age=3600" }, seconds: 3600 },
  { headers: { "cache-control": "public, Max-Age=3600" }, seconds: 3600 },
  { headers: { "cache-control": 'max-age="3600"' }, seconds: 3600 },
  { headers: { "cache-control": "max-age=3600, s-maxage=7200" }, seconds: 7200 },
  { headers: { "cache-control": "max-age=3600, max-age=9000" }, seconds: 3600 },
  { headers: { "cache-control": "max-age=3600", age: "3000" }, seconds: 600 },
  { headers: { "cache-control": "max-age=3600", age: "9000" }, seconds: 300 },
  { headers: { "cache-control": "max-age=10" }, seconds: 300 },
  { headers: { "cache-control": "max-age=31536000, immutable" }, seconds: 86_400 },
  { headers: { "cache-control": "max-age=-5" }, seconds: 300 },
  { headers: { "cache-control": "max-age=1e9" }, seconds: 300 },
  { headers: { "cache-control": "max-age=3600, no-cache" }, seconds: 300 },
  { headers: { "cache-control": "no-store, max-age=3600" }, seconds: 300 },
  { headers: { expires: at(7200), date: at(0) }, seconds: 7200 },
  { headers: { expires: at(7200), date: at(3600) }, seconds: 3600 },
  { headers: { expires: at(7200) }, seconds: 7200 },
  { headers: { expires: "0" }, seconds: 300 },
  { headers: { "cache-control": "max-age=600", expires: at(7200) }, seconds: 600 },
])("$headers: $seconds seconds", ({ headers, seconds }) => {
  expect(freshSeconds(new Headers(headers as unknown as Record<string, string>), now, false)).toBe(seconds);
});

test("keys are fresh for half an hour at most", () => {
  const headers = new Headers({ "cache-control": "max-age=86400" });
  expect(freshSeconds(headers, now, true)).toBe(1800);
});
