import { Views } from "../../parts/views";
import { useText } from "../../text/text";

/** The decided hosts, or the policy for all others. */
export function HostViews() {
  const t = useText();
  return (
    <Views
      label={t("app-hosts.views")}
      views={[
        ["/app-hosts", t("app-hosts.hosts")],
        ["/app-hosts/policy", t("app-hosts.policy.title")],
      ]}
    />
  );
}
