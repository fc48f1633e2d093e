import { describe, expect, it } from "vitest";
import { loadConfig } from "../src/config.js";
import { createPrivateCa } from "./support/certificates.js";

const valid = { AUTHZ_UPSTREAM: "https://auth.example.com" };
const ca = createPrivateCa().certificate;

function messageOf(environment: Record<string, string | undefined>, file?: () => string): string {
  try {
    loadConfig(environment, file);
  } catch (error) {
    return (error as Error).message;
  }
  return "accepted";
}

describe("loadConfig", () => {
  it("needs nothing but the upstream", () => {
    expect(loadConfig(valid)).toEqual({
      upstream: "https://auth.example.com",
      port: 8080,
      forwardStatusList: false,
    });
  });

  it.each([
    ["https://auth.example.com/", "https://auth.example.com"],
    ["https://AUTH.example.com:443", "https://auth.example.com"],
    ["https://127.0.0.1:8443", "https://127.0.0.1:8443"],
    ["https://[::1]:8443", "https://[::1]:8443"],
  ])("takes %s as %s", (text, origin) => {
    expect(loadConfig({ AUTHZ_UPSTREAM: text }).upstream).toBe(origin);
  });

  it.each([
    { name: "nothing", upstream: undefined, reason: "missing" },
    { name: "an empty value", upstream: "", reason: "missing" },
    { name: "a host name", upstream: "auth.example.com", reason: "not a URL" },
    { name: "white space", upstream: " https://auth.example.com", reason: "not a URL" },
    { name: "backslashes", upstream: "https:\\\\auth.example.com", reason: "not a URL" },
    { name: "plain http", upstream: "http://auth.example.com", reason: "not an https: URL" },
    { name: "another scheme", upstream: "ftp://auth.example.com", reason: "not an https: URL" },
    { name: "a path", upstream: "https://auth.example.com/authz", reason: "contains a path" },
    { name: "dot segments", upstream: "https://auth.example.com/.", reason: "contains a path" },
    { name: "two slashes", upstream: "https://auth.example.com//", reason: "contains a path" },
    { name: "no slashes", upstream: "https:auth.example.com", reason: "contains a path" },
    { name: "a query", upstream: "https://auth.example.com?a=b", reason: "contains a query" },
    { name: "an empty query", upstream: "https://auth.example.com?", reason: "contains a query" },
    { name: "a fragment", upstream: "https://auth.example.com#a", reason: "contains a fragment" },
    { name: "credentials", upstream: "https://u:hunter2@auth.example.com", reason: "contains credentials" },
    { name: "empty credentials", upstream: "https://@auth.example.com", reason: "contains credentials" },
  ])("refuses an upstream that is $name, and says so without repeating it", ({ upstream, reason }) => {
    const message = messageOf({ AUTHZ_UPSTREAM: upstream });
    expect(message).toMatch(`AUTHZ_UPSTREAM: ${reason}. Expected: the public HTTPS URL`);
    expect(message).not.toContain("hunter2");
  });

  it.each(["-1", "65536", "80a", " 80", "1e3", "0x50"])("refuses the port %j", (port) => {
    const message = messageOf({ ...valid, AUTHZ_PROXY_PORT: port });
    expect(message).toMatch("AUTHZ_PROXY_PORT: not a port number. Expected: a port number, 0 to 65535.");
  });

  it.each([
    ["true", true],
    ["false", false],
    ["", false],
  ])("takes AUTHZ_FORWARD_STATUS_LIST=%s", (text, forwardStatusList) => {
    expect(loadConfig({ ...valid, AUTHZ_FORWARD_STATUS_LIST: text })).toMatchObject({ forwardStatusList });
  });

  it.each(["1", "yes", "TRUE", " true"])("refuses AUTHZ_FORWARD_STATUS_LIST=%s", (text) => {
    expect(messageOf({ ...valid, AUTHZ_FORWARD_STATUS_LIST: text })).toBe(
      "AUTHZ_FORWARD_STATUS_LIST: neither true nor false. Expected: true or false.",
    );
  });

  it("takes another port", () => {
    expect(loadConfig({ ...valid, AUTHZ_PROXY_PORT: "18080" }).port).toBe(18_080);
  });

  it("reads the certificates of a private CA, and nothing else, from the file", () => {
    const environment = { ...valid, AUTHZ_UPSTREAM_CA_FILE: "/etc/ca.pem" };
    const config = loadConfig(environment, (path) => `# ${path}\n${ca}${ca}`);
    expect(config.upstreamCa?.split("-----BEGIN CERTIFICATE-----")).toHaveLength(3);
    expect(config.upstreamCa).not.toContain("#");
  });

  it.each([
    {
      name: "cannot be read",
      file: () => {
        throw Object.assign(new Error("no"), { code: "ENOENT" });
      },
      reason: "the file cannot be read (ENOENT)",
    },
    { name: "is empty", file: () => "", reason: "the file holds no PEM certificate" },
    {
      name: "holds something else",
      file: () => "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      reason: "the file holds a certificate that cannot be read",
    },
  ])("refuses a CA file that $name", ({ file, reason }) => {
    const message = messageOf({ ...valid, AUTHZ_UPSTREAM_CA_FILE: "/etc/ca.pem" }, file);
    expect(message).toMatch(`AUTHZ_UPSTREAM_CA_FILE: ${reason}. Expected: the path of a file`);
  });

  it("names every variable at once", () => {
    const message = messageOf({ AUTHZ_PROXY_PORT: "x" });
    expect(message).toMatch(/AUTHZ_UPSTREAM: missing.*AUTHZ_PROXY_PORT: not a port number/);
  });
});
