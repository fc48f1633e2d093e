import type { Inspection, Resource } from "@admin/resources";
import { Button } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { CheckList } from "../../parts/check-list";
import { Section } from "../../parts/page";
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

/** Reads a service's metadata again and compares it with the stored values. */
export function CheckAgain({ resource: { key, resource: address } }: { readonly resource: Resource }) {
  const t = useText();
  const { inspect, inspection, working, problem } = useInspection();
  return (
    <Section
      title={t("resources.checks.title")}
      lead={t("resources.checks.lead")}
      actions={inspection !== undefined && <CheckSummary checks={inspection.checks} />}
    >
      <div className="stack">
        <div>
          <Button variant="default" onClick={() => void inspect({ address, key })} loading={working}>
            {inspection === undefined ? t("resources.checks.run") : t("resources.checkAgain")}
          </Button>
        </div>
        <div aria-live="polite">
          {problem !== undefined && <p className="problem">{problem}</p>}
          {inspection !== undefined && <CheckList checks={inspection.checks} />}
        </div>
      </div>
    </Section>
  );
}
