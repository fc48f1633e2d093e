import { useText } from "../../text/text";
import { Views } from "../../parts/views";

export function HostViews({ current }: { readonly current: "hosts" | "policy" }) {
  const t = useText();
  return (
    <Views
      label={t("app-hosts.views")}
      views={[
        { to: "/app-hosts", title: t("app-hosts.hosts"), current: current === "hosts" },
        { to: "/app-hosts/policy", title: t("app-hosts.policy.title"), current: current === "policy" },
      ]}
    />
  );
}
