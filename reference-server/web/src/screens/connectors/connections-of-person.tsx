import type { Connection } from "@admin/connections";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useList } from "../../api/queries";
import { Link, screenPath, withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { Scopes } from "../../parts/identifier";
import { LinkButton, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Time } from "../../parts/time";
import { ConnectionState } from "./connection-state";
import { Disconnect } from "./disconnect";
import { useConnectors } from "./use-connectors";

/** As many as fit a page that is about more. */
const most = 5;

/** The accounts at third parties that one person has connected. */
export function ConnectionsOfPerson({ user }: { readonly user: string }) {
  const t = useText();
  const describe = useDescribeError();
  const answer = useList<Connection>("/connections", { user, limit: most });
  const connectors = useConnectors();
  const [ending, setEnding] = useState<Connection>();
  const nameOf = (key: string) => connectors.get(key)?.name ?? key;
  if (answer.isPending) return undefined;
  const items = answer.data?.pages[0]?.items ?? [];
  const rows = items.map((connection) => ({
    id: connection.id,
    title: (
      <>
        <Link to={screenPath("connectors", connection.connector)}>{nameOf(connection.connector)}</Link>
        {connection.account.label !== null && `: ${connection.account.label}`}
      </>
    ),
    detail: (
      <>
        <ConnectionState connection={connection} />
        <div>{t("connections.ofPerson.used", { time: <Time at={connection.lastUsedAt} /> })}</div>
        <Scopes keys={connection.grantedScopes} most={4} />
      </>
    ),
    action: (
      <Button
        variant="default"
        size="compact-sm"
        disabled={connection.state === "disconnecting"}
        onClick={() => setEnding(connection)}
      >
        {t("connections.disconnect")}
      </Button>
    ),
  }));
  return (
    <Section
      title={t("connections.ofPerson.title")}
      lead={t("connections.ofPerson.lead")}
      actions={
        items.length === most && (
          <LinkButton to={withQuery("/connections", { user })}>
            {t("connections.ofPerson.showAll")}
          </LinkButton>
        )
      }
    >
      {answer.isError && <p className="problem">{describe(answer.error)}</p>}
      {answer.isSuccess && rows.length === 0 && <p className="muted">{t("connections.ofPerson.none")}</p>}
      {rows.length > 0 && <RecordRows rows={rows} />}
      {ending !== undefined && (
        <Disconnect
          connection={ending}
          connector={nameOf(ending.connector)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  );
}
