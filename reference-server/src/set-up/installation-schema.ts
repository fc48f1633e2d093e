import { z } from "zod";
import { email } from "../registry/fields.js";
import { newIdentityProviderFields } from "../registry/identity-provider.js";
import { settingsFields } from "../registry/settings.js";
import { defaultScopes } from "./presets.js";

/** The members of a set-up, by the rules of the registry: what the form and the installation file have in common. */
export function installationFields({ allowInsecureLoopback }: InstallationRules) {
  const {
    enabled: _enabled,
    allowsAssertions: _later,
    key,
    scopes,
    ...provider
  } = newIdentityProviderFields(allowInsecureLoopback);
  return {
    installation: z.strictObject({ name: settingsFields.installationName }),
    administrator: z.strictObject({ email }),
    provider: { ...provider, key: key.optional(), scopes: scopes.default([...defaultScopes]) },
  };
}

export interface InstallationRules {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}
