import { expect, it } from "vitest";
import { speakerOf } from "../../src/connections/proxy-status.js";

it.each([
  { header: "authz; received-status=200", speaker: "third_party" },
  { header: 'cdn; details="a, b; authz", authz;received-status=404', speaker: "third_party" },
  { header: "authz; error=http_request_denied", speaker: "server" },
  { header: '"authz"; error=dns_error; details="x"', speaker: "server" },
  { header: "authz", speaker: "unknown" },
  { header: "cdn; received-status=200", speaker: "unknown" },
  { header: 'cdn; details="authz; received-status=200"', speaker: "unknown" },
  { header: "authz; received-status=2000", speaker: "unknown" },
  { header: undefined, speaker: "unknown" },
])("$speaker speaks in $header", ({ header, speaker }) => {
  expect(speakerOf(header)).toBe(speaker);
});

it("ignores a header that is longer than all members need", () => {
  expect(speakerOf(`authz; received-status=200, ${'"'.repeat(2_048)}`)).toBe("unknown");
});
