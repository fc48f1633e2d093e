import type { IdentityProvider } from "@admin/identity-providers";

/**
 * The redirect URI that a new provider will have: one of the providers has the plain callback, every other one its key
 * behind it. Nothing when that cannot be told, or the key is not typed yet.
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
