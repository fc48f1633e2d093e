import type { Session } from "@admin/sessions";
import { useText } from "../../text/text";

/** "Firefox on Linux", as far as the user agent tells. */
export function BrowserName({ session }: { readonly session: Session }) {
  const t = useText();
  const { product, system } = session.browser;
  const name =
    product !== null && system !== null
      ? t("sessions.browserOn", { product, system })
      : (product ?? system ?? t("sessions.unknownBrowser"));
  return (
    <>
      <span title={session.userAgent ?? undefined}>{name}</span>
      {session.current && <div className="muted">{t("sessions.current")}</div>}
    </>
  );
}
