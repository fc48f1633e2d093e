import { describe, expect, test } from "vitest";
import { appHostRules } from "../../../src/objects/app-host.js";
import { hostName, readHost, wellKnownHosts } from "../../src/screens/app-hosts/well-known-hosts.js";

test.each([
  { typed: "claude.ai", host: "claude.ai" },
  { typed: " https://claude.ai/oauth/claude-code-client-metadata ", host: "claude.ai" },
  { typed: "HTTPS://Claude.AI", host: "claude.ai" },
  { typed: "apps.example:8443/app.json", host: "apps.example:8443" },
  { typed: "https://apps.example:443/", host: "apps.example" },
  { typed: "müller.example", host: "xn--mller-kva.example" },
  { typed: "http://apps.example/app.json", host: "apps.example" },
  { typed: "two words", host: "two words" },
  { typed: "", host: "" },
])("$typed is read as $host", ({ typed, host }) => {
  expect(readHost(typed)).toBe(host);
});

describe("a well-known host", () => {
  test.each([...wellKnownHosts])("%s can be allowed as %s", (host, name) => {
    expect(appHostRules.shape.host.safeParse(host).success).toBe(true);
    expect(hostName(host)).toBe(name);
  });

  test("has a name; any other host is its own name", () => {
    expect(hostName("constructor")).toBe("constructor");
  });
});
