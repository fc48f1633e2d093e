/** The name that a provider's client secret is bound to. */
export function providerSecretRow(providerId: string): string {
  return `identity_providers/${providerId}`;
}
