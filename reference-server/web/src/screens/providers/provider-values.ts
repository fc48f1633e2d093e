import type {
  IdentityProvider,
  IdentityProviderCheck,
  IdentityProviderPatch,
  NewIdentityProvider,
} from "@admin/identity-providers";

type Method = IdentityProvider["tokenEndpointAuthMethod"];

/** A provider as a form has it; the secret is what somebody typed, never what is stored. */
export interface ProviderValues {
  readonly key: string;
  readonly name: string;
  readonly buttonLabel: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly allowedEmailDomains: readonly string[];
  readonly scopes: readonly string[];
  readonly tokenEndpointAuthMethod: Method;
  readonly discoveryUrl: string;
  readonly allowsAssertions: boolean;
  readonly presence: IdentityProvider["presence"];
  readonly presenceIntervalSeconds: number;
  readonly graceSeconds: number;
  readonly signInEveryDays: number | null;
  readonly provisioningAttribute: IdentityProvider["provisioningAttribute"];
  readonly provisioningClaim: IdentityProvider["provisioningClaim"];
  readonly logoutEndsApps: boolean;
  readonly enabled: boolean;
}

export const defaultScopes = ["openid", "profile", "email"];

export const emptyProvider: ProviderValues = {
  key: "",
  name: "",
  buttonLabel: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  allowedEmailDomains: [],
  scopes: defaultScopes,
  tokenEndpointAuthMethod: null,
  discoveryUrl: "",
  allowsAssertions: false,
  presence: "off",
  presenceIntervalSeconds: 28_800,
  graceSeconds: 86_400,
  signInEveryDays: null,
  provisioningAttribute: "externalId",
  provisioningClaim: "sub",
  logoutEndsApps: false,
  // Until a test sign-in has passed.
  enabled: false,
};

export function toProviderValues(provider: IdentityProvider): ProviderValues {
  const { key, name, issuer, clientId, allowedEmailDomains, scopes, enabled } = provider;
  const { tokenEndpointAuthMethod, discoveryUrl, allowsAssertions, logoutEndsApps } = provider;
  const { presence, presenceIntervalSeconds, graceSeconds, signInEveryDays } = provider;
  const { provisioningAttribute, provisioningClaim } = provider;
  return {
    key,
    name,
    buttonLabel: provider.buttonLabel ?? "",
    issuer,
    clientId,
    clientSecret: "",
    allowedEmailDomains,
    scopes,
    tokenEndpointAuthMethod,
    discoveryUrl: discoveryUrl ?? "",
    allowsAssertions,
    presence,
    presenceIntervalSeconds,
    graceSeconds,
    signInEveryDays,
    provisioningAttribute,
    provisioningClaim,
    logoutEndsApps,
    enabled,
  };
}

/** What is sent. An empty secret is left out: a stored one stays. */
export function toNewProvider(values: ProviderValues): NewIdentityProvider {
  const { key, name, clientSecret, allowedEmailDomains, allowsAssertions, logoutEndsApps, enabled } = values;
  const { presence, presenceIntervalSeconds, graceSeconds, signInEveryDays } = values;
  const { provisioningAttribute, provisioningClaim } = values;
  const given = clientSecret !== "" && values.tokenEndpointAuthMethod !== "none";
  return {
    key,
    name,
    buttonLabel: values.buttonLabel.trim() === "" ? null : values.buttonLabel.trim(),
    ...toAddresses(values),
    allowedEmailDomains: [...allowedEmailDomains],
    allowsAssertions,
    presence,
    presenceIntervalSeconds,
    graceSeconds,
    signInEveryDays,
    provisioningAttribute,
    provisioningClaim,
    logoutEndsApps,
    enabled,
    ...(given && { clientSecret }),
  };
}

export function toProviderPatch(values: ProviderValues): IdentityProviderPatch {
  const { key: _key, ...patch } = toNewProvider(values);
  return patch;
}

/** What can be checked without a sign-in. */
export function toCheck(values: ProviderValues): IdentityProviderCheck {
  const { key } = values;
  return { ...toAddresses(values), ...(key !== "" && { key }) };
}

function toAddresses(values: ProviderValues) {
  const { issuer, discoveryUrl, clientId, tokenEndpointAuthMethod, scopes } = values;
  return {
    issuer: issuer.trim(),
    discoveryUrl: discoveryUrl.trim() === "" ? null : discoveryUrl.trim(),
    clientId,
    tokenEndpointAuthMethod,
    scopes: [...scopes],
  };
}
