import type { IdentityProvider } from "@admin/identity-providers";

/**
 * The redirect URI of a new provider: one provider has the plain callback, all others have their key at its end.
 * `undefined` while that is unknown or the key is empty.
 */
export function nextCallbackUrl(
  providers: readonly Pick<IdentityProvider, "key" | "callbackUrl">[],
  key: string,
): string | undefined {
  const [first] = providers;
  if (first === undefined) return undefined;
  const own = `/${first.key}`;
  const plain = first.callbackUrl.endsWith(`/callback${own}`)
    ? first.callbackUrl.slice(0, -own.length)
    : first.callbackUrl;
  if (!providers.some(({ callbackUrl }) => callbackUrl === plain)) return plain;
  return key === "" ? undefined : `${plain}/${key}`;
}
