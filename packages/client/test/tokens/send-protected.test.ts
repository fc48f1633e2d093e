import { describe, expect, it } from "vitest";
import { dpopChallengeError } from "../../src/tokens/send-protected.js";

const challenges: { header: string; error: string | undefined }[] = [
  { header: 'DPoP algs="ES256", resource_metadata="https://a.example/m"', error: undefined },
  { header: 'DPoP algs="ES256", error="invalid_token"', error: "invalid_token" },
  { header: 'dpop error="use_dpop_nonce"', error: "use_dpop_nonce" },
  { header: "DPoP error=invalid_token", error: "invalid_token" },
  { header: 'Bearer error="invalid_token", DPoP algs="ES256"', error: undefined },
  {
    header: 'Bearer resource_metadata="x", DPoP algs="ES256", error="use_dpop_nonce"',
    error: "use_dpop_nonce",
  },
  { header: 'DPoP algs="ES256", Bearer error="invalid_token"', error: undefined },
  { header: 'Basic realm="x"', error: undefined },
  { header: "", error: undefined },
];

describe("the error of the DPoP challenge", () => {
  for (const { header, error } of challenges) {
    it(`is ${error ?? "absent"} in ${JSON.stringify(header)}`, () => {
      expect(dpopChallengeError(header)).toBe(error);
    });
  }
});
