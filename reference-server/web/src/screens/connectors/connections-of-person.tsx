import type { Connection } from "@admin/connections";
import { useState } from "react";
import { Link, screenPath, withQuery } from "../../address/links";
import { useList } from "../../api/queries";
import { Scopes } from "../../parts/identifier";
import { Time } from "../../parts/time";
import { useText } from "../../text/text";
import { ShortList, shortListSize } from "../objects/short-list";
import { ConnectionState } from "./connection-state";
import { Disconnect, DisconnectButton } from "./disconnect";
import { useConnectors } from "./use-connectors";

/** The accounts at third parties that one person has connected. */
export function ConnectionsOfPerson({ user }: { readonly user: string }) {
  const t = useText();
  const answer = useList<Connection>("/connections", { user, limit: shortListSize });
  const connectors = useConnectors();
  const [ending, setEnding] = useState<Connection>();
  const nameOf = (key: string) => connectors.get(key)?.name ?? key;
  if (answer.isPending) return undefined;
  return (
    <ShortList
      title={t("connections.ofPerson.title")}
      lead={t("connections.ofPerson.lead")}
      answer={answer}
      none={t("connections.ofPerson.none")}
      all={{ to: withQuery("/connections", { user }), label: t("connections.ofPerson.showAll") }}
      toRow={(connection) => ({
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
        action: <DisconnectButton connection={connection} onDisconnect={setEnding} />,
      })}
    >
      {ending !== undefined && (
        <Disconnect
          connection={ending}
          connector={nameOf(ending.connector)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </ShortList>
  );
}
