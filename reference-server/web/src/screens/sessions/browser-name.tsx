import type { Session } from "@admin/sessions";
import { useMessages } from "../../messages/language";
import { messages } from "./messages";

/** "Firefox on Linux", as far as the browser says. */
export function BrowserName({ session }: { readonly session: Session }) {
  const t = useMessages(messages);
  const { product, system } = session.browser;
  const name =
    product !== null && system !== null
      ? t.browserOn(product, system)
      : (product ?? system ?? t.unknownBrowser);
  return (
    <>
      <span title={session.userAgent ?? undefined}>{name}</span>
      {session.current && <div className="muted">{t.current}</div>}
    </>
  );
}
