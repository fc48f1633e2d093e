import type { IdentityProvider } from "@admin/identity-providers";
import type { SignInTest } from "@admin/identity-providers/tests";
import { useEffect, useRef, useState } from "react";
import { useForget, useItem } from "../../api/queries";
import { apiPath, request } from "../../api/request";
import { useAction } from "../../parts/use-action";
import { type ProviderValues, toProviderPatch, toProviderValues } from "./provider-values";

const testsPath = (key: string) => apiPath("identity-providers", key, "tests");

/** Starts a test sign-in; a test without an address has failed already. */
export async function beginSignInTest(key: string, changes?: ProviderValues): Promise<SignInTest> {
  const body = changes === undefined ? {} : { changes: toProviderPatch(changes) };
  return await request<SignInTest>(testsPath(key), { method: "POST", body });
}

/** Reads a test; while its sign-in runs in another tab, every two seconds. */
export function useSignInTest(key: string, id: string | undefined, waits = false): SignInTest | undefined {
  const forget = useForget();
  const path = `${testsPath(key)}/${id ?? ""}`;
  const { data } = useItem<SignInTest>(path, { enabled: id !== undefined });
  const pending = waits && data?.state === "pending";
  const latest = useRef(() => forget(path));
  latest.current = () => forget(path);
  useEffect(() => {
    if (!pending) return undefined;
    const timer = setInterval(() => void latest.current(), 2000);
    return () => clearInterval(timer);
  }, [pending]);
  return id === undefined ? undefined : data;
}

/** Runs a test in a tab of its own, so that typed values stay here. */
export function useTestInNewTab(provider: IdentityProvider, values: ProviderValues) {
  const [begun, setBegun] = useState<{ readonly id: string; readonly of: string }>();
  const action = useAction();
  const [blocked, setBlocked] = useState(false);
  const asked = JSON.stringify(testedPart(values));
  const test = useSignInTest(provider.key, begun?.id, true);

  const start = async () => {
    // Opened in the click itself, because browsers block later pop-ups; its address follows.
    const tab = window.open("about:blank", "_blank");
    if (tab !== null) tab.opener = null;
    setBlocked(tab === null);
    if (tab === null) return;
    setBegun(undefined);
    await action.run(async () => {
      try {
        const { id, authorizationUrl } = await beginSignInTest(provider.key, values);
        setBegun({ id, of: asked });
        if (authorizationUrl === null) tab.close();
        else tab.location.replace(authorizationUrl);
      } catch (error) {
        tab.close();
        throw error;
      }
    });
  };
  // The result does not apply to values typed since then.
  return { start, action, blocked, test: begun?.of === asked ? test : undefined };
}

/** Whether the typed values need a new test. */
export function needsNewTest(provider: IdentityProvider, values: ProviderValues): boolean {
  const stored = toProviderValues(provider);
  return (
    JSON.stringify(testedPart(stored)) !== JSON.stringify(testedPart(values)) ||
    allowsFewer(stored, values) ||
    (stored.presence === "off" && values.presence === "on")
  );
}

function testedPart(values: ProviderValues) {
  const { issuer, discoveryUrl, clientId, clientSecret, tokenEndpointAuthMethod, scopes } = values;
  return [issuer.trim(), discoveryUrl.trim(), clientId, clientSecret, tokenEndpointAuthMethod, scopes];
}

function allowsFewer(before: ProviderValues, { allowedEmailDomains: after }: ProviderValues): boolean {
  const { allowedEmailDomains: allowed } = before;
  if (after.length === 0) return false;
  return allowed.length === 0 || allowed.some((domain) => !after.includes(domain));
}
