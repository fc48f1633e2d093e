import { describe, expect, test } from "vitest";
import { toFieldFaults } from "../../../src/admin/http/field-faults.js";
import { createResourceSchema } from "../../../src/admin/resources/schemas.js";
import { createScopeSchema } from "../../../src/admin/scopes/schemas.js";
import { adminTexts } from "../../../src/admin/texts/texts.js";
import { de } from "../../src/messages/de/parts";
import { en } from "../../src/messages/en/parts";
import { fieldMessage } from "../../src/parts/field-words";

const resource = createResourceSchema({ allowInsecureLoopback: false, issuer: "https://authz.acme.example" });
const valid = {
  key: "contracts",
  name: "Contracts",
  resource: "https://contracts.acme.example/api",
  authorizationServer: "https://contracts.acme.example",
  clientId: "authz-cli",
  requestPrefixes: ["https://contracts.acme.example/api"],
  supportedScopes: ["contracts:read"],
};

/** What the server's own schema says about one wrong field. */
function verdict(change: Readonly<Record<string, unknown>>): string {
  const issues = resource.safeParse({ ...valid, ...change }).error?.issues ?? [];
  return toFieldFaults(issues)[0]?.message(adminTexts("en")) ?? "";
}

describe("what the server says about a field becomes a sentence for people", () => {
  test.each([
    { name: "nothing", change: { name: "" }, text: en.fields.empty },
    { name: "a missing member", change: { name: undefined }, text: en.fields.empty },
    { name: "an empty list", change: { requestPrefixes: [] }, text: en.fields.emptyList },
    { name: "a long text", change: { name: "x".repeat(201) }, text: en.fields.tooLong("200") },
    { name: "no key", change: { key: "A b" }, text: en.fields.key },
    { name: "no scope", change: { supportedScopes: ["read"] }, text: en.fields.scope },
    { name: "http", change: { resource: "http://contracts.acme.example" }, text: en.fields.url },
    { name: "a path", change: { authorizationServer: "https://a.example/b" }, text: en.fields.origin },
    { name: "spaces", change: { clientId: "a b" }, text: en.fields.token },
  ])("$name", ({ change, text }) => {
    expect(fieldMessage(verdict(change), en.fields)).toBe(text);
  });

  test("also in German", () => {
    const issues = createScopeSchema.safeParse({ key: "read", description: "" }).error?.issues ?? [];
    const texts = toFieldFaults(issues).map(({ message }) =>
      fieldMessage(message(adminTexts("en")), de.fields),
    );
    expect(texts).toEqual([de.fields.scope, de.fields.empty]);
  });

  test("and stays as it is, as a sentence, when the console does not know it", () => {
    expect(fieldMessage('"authz" is reserved', en.fields)).toBe('"authz" is reserved.');
    expect(fieldMessage("has to wait", en.fields)).toBe("Has to wait.");
  });
});
