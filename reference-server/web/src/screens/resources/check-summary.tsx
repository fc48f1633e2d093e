import type { Inspection } from "@admin/resources";
import { useText } from "../../text/text";

/** How many checks passed, how many did not, and how many could not be made. */
export function CheckSummary({ checks }: { readonly checks: Inspection["checks"] }) {
  const t = useText();
  const count = (state: Inspection["checks"][number]["state"]) =>
    checks.filter((check) => check.state === state).length;
  return (
    <span className="muted">
      {t("resources.wizard.summary", {
        passed: count("passed"),
        warnings: count("warning"),
        failed: count("failed"),
        unreached: count("unreached"),
      })}
    </span>
  );
}
