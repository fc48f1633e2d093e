import type { InspectionCheck } from "@admin/resources";
import { useMessages } from "../../messages/language";
import { messages } from "./messages";

/** How many checks passed, and how many did not. */
export function CheckSummary({ checks }: { readonly checks: readonly InspectionCheck[] }) {
  const { wizard: t } = useMessages(messages);
  const count = (state: InspectionCheck["state"]) => checks.filter((check) => check.state === state).length;
  return <span className="muted">{t.summary(count("passed"), count("warning"), count("failed"))}</span>;
}
