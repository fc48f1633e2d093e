import { expect, test } from "vitest";
import { ConfigError, loadConfig, loadPostgresUrl } from "../../src/config/config.js";
import { findMisspelledVariables } from "../../src/config/misspelled-variables.js";
import { testEnvironment } from "../support/environment.js";

const known = new Set([
  "AUTHZ_CLOCK_TOLERANCE_SECONDS",
  "AUTHZ_DPOP_NONCES",
  "AUTHZ_DRAIN_SECONDS",
  "AUTHZ_ISSUER",
  "AUTHZ_OUTBOUND_NETWORKS",
  "AUTHZ_PORT",
  "AUTHZ_RATE_LIMITS",
  "AUTHZ_SETUP_TOKEN",
  "AUTHZ_TRUSTED_PROXIES",
]);

test.each([
  ["AUTHZ_TRUSTED_PROXY", "AUTHZ_TRUSTED_PROXIES"],
  ["AUTHZ_RATE_LIMIT", "AUTHZ_RATE_LIMITS"],
  ["AUTHZ_DPOP_NONCE", "AUTHZ_DPOP_NONCES"],
  ["AUTHZ_OUTBOUND_NETWORK", "AUTHZ_OUTBOUND_NETWORKS"],
  ["AUTHZ_DRIAN_SECONDS", "AUTHZ_DRAIN_SECONDS"],
  ["AUTH_ISSUER", "AUTHZ_ISSUER"],
  ["AUTHZ_SETUP_TOKNE_FILE", "AUTHZ_SETUP_TOKEN"],
])("%s was meant to be %s", (variable, meant) => {
  expect(findMisspelledVariables([variable], known)).toEqual([{ variable, meant }]);
});

test.each([
  "AUTHZ_PORT",
  "AUTHZ_SETUP_TOKEN_FILE",
  "AUTHZ_CONNECTOR_KEK",
  "AUTHZ_UPSTREAM",
  "PATH",
  "POSTGRES_USER",
])("%s is no slip", (variable) => {
  expect(findMisspelledVariables([variable], known)).toEqual([]);
});

test("the configuration lists them, and is usable all the same", () => {
  const config = loadConfig(testEnvironment({ AUTHZ_TRUSTED_PROXY: "10.0.0.0/8" }));
  expect(config.trustedProxies).toEqual([]);
  expect(config.misspelledVariables).toEqual([
    { variable: "AUTHZ_TRUSTED_PROXY", meant: "AUTHZ_TRUSTED_PROXIES" },
  ]);
  expect(loadConfig(testEnvironment()).misspelledVariables).toEqual([]);
});

test.each([
  ["AUTHZ_ISUER", "AUTHZ_ISSUER"],
  ["AUTHZ_SETUP_TOKENS", "AUTHZ_SETUP_TOKEN"],
  ["authz_signing_kid", "AUTHZ_SIGNING_KID"],
  ["POSTGRESS_URL", "POSTGRES_URL"],
  ["POSTGRES_URL_FLIE_FILE", undefined],
  ["POSTGRES_URI_FILE", "POSTGRES_URL"],
])("a required variable that is missing: %s may be %s", (given, meant) => {
  const missing = meant ?? "POSTGRES_URL";
  const environment = testEnvironment({ [missing]: undefined, [given]: "x" });
  const problemsOf = () => {
    try {
      loadConfig(environment);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
    }
    return [];
  };
  const hint = `${given} is set: did you mean ${missing}?`;
  const problem = problemsOf().find(({ variable }) => variable === missing)?.problem ?? "";
  expect(problem.includes(hint)).toBe(meant !== undefined);
  expect(problem).toContain("missing. Expected: ");
});

test("authz-migrate says so as well", () => {
  expect(() => loadPostgresUrl({ POSTGRES_ULR: "postgresql://a/b" })).toThrow("POSTGRES_ULR is set");
});
