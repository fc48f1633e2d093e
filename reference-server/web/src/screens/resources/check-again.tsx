import type { Resource } from "@admin/resources";
import { Button } from "@mantine/core";
import { CheckList } from "../../parts/check-list";
import { Section } from "../../parts/page";
import { useText } from "../../text/text";
import { CheckSummary, useInspection } from "./inspection";

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
