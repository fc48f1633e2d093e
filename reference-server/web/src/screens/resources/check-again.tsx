import type { Inspection, Resource } from "@admin/resources";
import { Button } from "@mantine/core";
import { useState } from "react";
import { request } from "../../api/request";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Section } from "../../parts/page";
import { CheckList } from "../../parts/check-list";
import { CheckSummary } from "./check-summary";

/** Looks again at what the service says about itself, and compares it with what is stored. */
export function CheckAgain({ resource }: { readonly resource: Resource }) {
  const t = useText();
  const describe = useDescribeError();
  const [inspection, setInspection] = useState<Inspection>();
  const [error, setError] = useState<unknown>();
  const [working, setWorking] = useState(false);
  const { key, resource: address } = resource;

  const run = async () => {
    setWorking(true);
    setError(undefined);
    try {
      setInspection(
        await request<Inspection>("/resources/inspections", { method: "POST", body: { address, key } }),
      );
    } catch (problem) {
      setInspection(undefined);
      setError(problem);
    } finally {
      setWorking(false);
    }
  };

  return (
    <Section
      title={t("resources.checks.title")}
      lead={t("resources.checks.lead")}
      actions={inspection !== undefined && <CheckSummary checks={inspection.checks} />}
    >
      <div className="stack">
        <div>
          <Button variant="default" onClick={() => void run()} loading={working}>
            {inspection === undefined ? t("resources.checks.run") : t("resources.checkAgain")}
          </Button>
        </div>
        <div aria-live="polite">
          {error !== undefined && <p className="problem">{describe(error)}</p>}
          {inspection !== undefined && <CheckList checks={inspection.checks} />}
        </div>
      </div>
    </Section>
  );
}
