/** The name that a provider's client secret is bound to. */
export function providerSecretRow(providerId: string): string {
  return `identity_providers/${providerId}`;
}

/** The name that the settings of a provider's last passed test are bound to. */
export function providerTestRow(providerId: string): string {
  return `provider_tests/${providerId}`;
}

/** The name that the settings of one test sign-in are bound to. It ends soon, so it is not sealed again with a newer key. */
export function signInTestRow(testId: string): string {
  return `sign_in_tests/${testId}`;
}

/** The name that the refresh token of a person's latest sign-in is bound to. */
export function presenceRow({
  userId,
  providerId,
}: {
  readonly userId: string;
  readonly providerId: string;
}): string {
  return `presences/${userId}/${providerId}`;
}

/** The name that a directory's secret is bound to. */
export function groupProviderSecretRow(groupProviderId: string): string {
  return `group_providers/${groupProviderId}`;
}

/** The name that the token of a stream's transmitter is bound to. */
export function signalStreamRow(streamId: string): string {
  return `signal_streams/${streamId}`;
}

/** The name that the key of the audit trail's seals is bound to. */
export const sealKeyRow = "sealed_secrets/audit-seal";

/** The name that a private signing key is bound to. */
export function signingKeyRow(kid: string): string {
  return `signing_keys/${kid}`;
}

/** The name that a connector's client secret is bound to. */
export function connectorRow(id: string): string {
  return `connectors/${id}`;
}

/** The name that a connection's tokens are bound to: one connection, of one person and one connector. */
export function connectionRow(connection: {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
}): string {
  return `connections/${connection.id}/${connection.connectorId}/${connection.userId}`;
}
