import { expect, test } from "vitest";
import { parseRegistryFile } from "../../../src/registry/apply/registry-file.js";

const cases = [
  {
    name: "a section",
    content: { resource: [] },
    says: "resource: is not known here. Did you mean resources?",
  },
  {
    name: "a member in another spelling",
    content: { resources: [{ authorisationServer: "https://a.example" }] },
    says: "resources[0].authorisationServer: is not known here. Did you mean authorizationServer?",
  },
  {
    name: "a member in other letters",
    content: { resources: [{ skilldiscovery: true }] },
    says: "resources[0].skilldiscovery: is not known here. Did you mean skillDiscovery?",
  },
  {
    name: "a member that resembles none",
    content: { scopes: [{ audience: "x" }] },
    says: "scopes[0].audience: is not known here. Known names: key and description",
  },
];

test.each(cases)(
  "a registry file with $name that nobody knows is told what to write",
  ({ content, says }) => {
    const read = () =>
      parseRegistryFile(JSON.stringify(content), {
        allowInsecureLoopback: false,
        issuer: "https://auth.acme.example",
      });
    expect(read).toThrow(`\n  ${says}`);
  },
);
