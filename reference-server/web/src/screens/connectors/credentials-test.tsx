import type { Connector, ConnectorTest } from "@admin/connectors";
import { useForget } from "../../api/queries";
import { Identifier, Status } from "../../parts/identifier";
import "../../parts/lists.css";
import { Section } from "../../parts/page";
import { Time } from "../../parts/time";
import { Problem, useAction } from "../../parts/use-action";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { testCredentials, useTesting } from "./testing";

const tones = { accepted: "good", refused: "bad", unknown: "warning" } as const;

/** Whether the third party accepted the client's credentials in the last test, and a button for another one. */
export function CredentialsTest({ connector }: { readonly connector: Connector }) {
  const t = useText();
  const forget = useForget();
  const { run, problem } = useAction();
  const { key, test } = connector;
  const working = useTesting(key);
  const start = () =>
    run(async () => {
      await testCredentials(key);
      await forget("/connectors");
    });
  return (
    <Section
      title={t("connectors.test.title")}
      lead={t("connectors.test.lead")}
      actions={
        <ActionButton
          route="POST /connectors/{key}/tests"
          variant="default"
          onClick={() => void start()}
          loading={working}
        >
          {test === null ? t("connectors.test.run") : t("connectors.test.again")}
        </ActionButton>
      }
    >
      <div role="status" className="stack before-form">
        {working ? <p className="muted">{t("connectors.test.testing")}</p> : <Verdict test={test} />}
      </div>
      <Problem>{problem}</Problem>
    </Section>
  );
}

function Verdict({ test }: { readonly test: ConnectorTest | null }) {
  const t = useText();
  if (test === null) return <p className="muted">{t("connectors.test.none")}</p>;
  const { verdict, providerMessage, testedAt } = test;
  return (
    <>
      <p>
        <Status tone={tones[verdict]} wraps>
          {t(`connectors.test.verdicts.${verdict}`, { ago: <Time at={testedAt} /> })}
        </Status>
      </p>
      {verdict === "refused" && <p>{t("connectors.test.refusedHelp")}</p>}
      {verdict === "unknown" && <p>{t("connectors.test.unknownHelp")}</p>}
      {verdict !== "accepted" && providerMessage !== null && (
        <p className="muted">
          {t("connectors.test.providerMessage")} <Identifier>{providerMessage}</Identifier>
        </p>
      )}
    </>
  );
}
