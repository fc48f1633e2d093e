import type { Connector, ConnectorTest } from "@admin/connectors";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useForget } from "../../api/queries";
import { useDescribeError } from "../../parts/describe-error";
import { Identifier, Status } from "../../parts/identifier";
import "../../parts/lists.css";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { useText } from "../../text/text";
import { testCredentials, useTesting } from "./testing";

const tones = { accepted: "good", refused: "bad", unknown: "warning" } as const;

/** Whether the third party knows the client, as it said the last time. */
export function CredentialsTest({ connector }: { readonly connector: Connector }) {
  const t = useText();
  const describe = useDescribeError();
  const forget = useForget();
  const [error, setError] = useState<unknown>();
  const { key, test } = connector;
  const working = useTesting(key);
  const run = async () => {
    setError(undefined);
    try {
      await testCredentials(key);
      await forget("/connectors");
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Section
      title={t("connectors.test.title")}
      lead={t("connectors.test.lead")}
      actions={
        <Button variant="default" onClick={() => void run()} loading={working}>
          {test === null ? t("connectors.test.run") : t("connectors.test.again")}
        </Button>
      }
    >
      <div role="status" className="stack before-form">
        {working ? <p className="muted">{t("connectors.test.testing")}</p> : <Verdict test={test} />}
      </div>
      {error !== undefined && (
        <p className="problem" role="alert">
          {describe(error)}
        </p>
      )}
    </Section>
  );
}

function Verdict({ test }: { readonly test: ConnectorTest | null }) {
  const t = useText();
  if (test === null) return <p className="muted">{t("connectors.test.none")}</p>;
  const { verdict, said, testedAt } = test;
  return (
    <>
      <p>
        <Status tone={tones[verdict]}>
          <span className="wrapping">
            {t(`connectors.test.verdicts.${verdict}`, { ago: <Time at={testedAt} /> })}
          </span>
        </Status>
      </p>
      {verdict === "refused" && <p>{t("connectors.test.refusedHelp")}</p>}
      {verdict === "unknown" && <p>{t("connectors.test.unknownHelp")}</p>}
      {verdict !== "accepted" && said !== null && (
        <p className="muted">
          {t("connectors.test.said")} <Identifier>{said}</Identifier>
        </p>
      )}
    </>
  );
}
