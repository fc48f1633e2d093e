import { expect, test, vi } from "vitest";
import { ReadableError, reportFailure } from "../src/readable-error.js";
import { registrationText } from "../src/summary.js";

const service = {
  key: "contracts",
  name: "Contracts\u001b[2J\u202e",
  resource: "http://127.0.0.1:4000/api;$(reboot)",
  authorizationServer: "http://127.0.0.1:4000",
  clientId: "authz-cli",
  scopes: ["contracts:read"],
  skillDiscovery: false,
  allowsBearer: false,
  given: { scopes: ["contracts:read"], people: [] },
};

test("what a service calls itself is no command to the terminal, nor to the shell", () => {
  const registration = { service, issuer: "http://127.0.0.1:3000", changed: true, strippedPrefix: undefined };
  const text = registrationText(registration, new URL("http://127.0.0.1:4000"));
  expect(text).toContain("Contracts\\u{1b}[2J\\u{202e} is registered.");
  expect(text).toContain("--scope contracts:read 'http://127.0.0.1:4000/api;$(reboot)'\n");
});

test("a failure that repeats what a service says is shown with what is invisible spelled out", () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const { exitCode } = process;
  try {
    reportFailure(new ReadableError('The service reports a different issuer.\n  received  "\u001b[2Jx"'));
    expect(written.mock.calls).toEqual([
      ['\n  The service reports a different issuer.\n    received  "\\u{1b}[2Jx"\n\n'],
    ]);
  } finally {
    written.mockRestore();
    process.exitCode = exitCode;
  }
});
