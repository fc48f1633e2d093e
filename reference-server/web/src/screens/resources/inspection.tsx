import type { Inspection } from "@admin/resources";
import { useState } from "react";
import { request } from "../../api/request";
import { useAction } from "../../parts/use-action";
import { useText } from "../../text/text";

/** Asks the server to read and check the metadata of a service. A failed attempt removes the last result. */
export function useInspection() {
  const [inspection, setInspection] = useState<Inspection>();
  const { run, working, problem, fieldProblem } = useAction();
  const inspect = (body: { readonly address: string; readonly key?: string }, onDone?: () => void) =>
    run(async () => {
      try {
        setInspection(await request<Inspection>("/resources/inspections", { method: "POST", body }));
      } catch (error) {
        setInspection(undefined);
        throw error;
      }
      onDone?.();
    });
  return { inspect, inspection, working, problem, fieldProblem };
}

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
