import type { Connector, ConnectorDisconnections } from "@admin/connectors";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useForget } from "../../api/queries";
import { apiPath } from "../../api/request";
import { Link, screenPath } from "../../address/links";
import { useText } from "../../text/text";
import { ActionButton } from "../../parts/if-may";
import { ConfirmChange } from "../../parts/confirm-destructive";
import { DeleteObject } from "../../parts/delete-object";
import { Identifier, Status } from "../../parts/identifier";
import { HistoryLink, Page } from "../../parts/page";
import { VerdictBox } from "../../parts/verdict-box";
import { Views } from "../../parts/views";

interface FrameProps {
  readonly connector: Connector;
  readonly current: "settings" | "connections";
  readonly children: ReactNode;
}

/** The frame of a connector's settings and connections: name, problems, and actions on the whole connector. */
export function ConnectorFrame({ connector, current, children }: FrameProps) {
  const t = useText();
  const [asking, setAsking] = useState<"disconnect" | "delete">();
  const { key, name, connections } = connector;
  const total = connections.connected + connections.reconnectRequired + connections.disconnecting;
  const path = screenPath("connectors", key);
  const close = () => setAsking(undefined);
  useRefreshWhile(connections.disconnecting > 0, ["/connectors", "/connections"]);
  return (
    <Page
      title={name}
      lead={
        <>
          <Identifier>{key}</Identifier> · {t(`connectors.kinds.${connector.kind}`)}
          {!connector.enabled && (
            <>
              {" "}
              · <Status tone="neutral">{t("connectors.disabled")}</Status>
            </>
          )}
        </>
      }
      parent={{ to: "/connectors", title: t("connectors.title") }}
      narrow={current === "settings"}
      actions={
        <>
          <HistoryLink subject={key} />
          {connections.connected + connections.reconnectRequired > 0 && (
            <ActionButton
              route="POST /connectors/{key}/disconnections"
              variant="default"
              onClick={() => setAsking("disconnect")}
            >
              {t("connectors.disconnectAll")}
            </ActionButton>
          )}
          <ActionButton
            route="DELETE /connectors/{key}"
            variant="default"
            onClick={() => setAsking("delete")}
          >
            {t("connectors.delete")}
          </ActionButton>
        </>
      }
    >
      <Views
        label={t("connectors.views")}
        views={[
          [path, t("connectors.settings")],
          [`${path}/connections`, t("connectors.connectionsOf", { count: total })],
        ]}
      />
      {connector.hasClientSecret && !connector.keyReadable && <SecretLost />}
      {children}
      {asking === "disconnect" && <DisconnectEverybody connector={connector} onClose={close} />}
      {asking === "delete" && <DeleteConnector connector={connector} onClose={close} />}
    </Page>
  );
}

function SecretLost() {
  const t = useText();
  return (
    <VerdictBox state="failed" title={t("connectors.secretLost")}>
      <p>
        {t("connectors.secretLostText", { link: (inside) => <Link to="/connector-keys">{inside}</Link> })}
      </p>
    </VerdictBox>
  );
}

/** Ends every connection of a connector at once; the server revokes them afterwards. */
function DisconnectEverybody({ connector: { key, name }, onClose }: ActionProps) {
  const t = useText();
  return (
    <ConfirmChange<ConnectorDisconnections>
      title={t("connectors.disconnectAllTitle", { name })}
      name={key}
      confirmLabel={t("connectors.disconnectAllSubmit")}
      path={apiPath("connectors", key, "disconnections")}
      options={{ method: "POST" }}
      affects={["/connectors", "/connections", "/connector-keys"]}
      done={({ connections }) => t("connectors.disconnectingAll", { count: connections })}
      onClose={onClose}
    >
      <p>{t("connectors.disconnectAllText")}</p>
    </ConfirmChange>
  );
}

interface ActionProps {
  readonly connector: Connector;
  readonly onClose: () => void;
}

function DeleteConnector({ connector, onClose }: ActionProps) {
  const t = useText();
  return (
    <DeleteObject
      list="connectors"
      object={connector}
      texts="connectors"
      affects={["/connections", "/connector-keys", "/overview"]}
      onClose={onClose}
    >
      <p>{t("connectors.deleteText")}</p>
    </DeleteObject>
  );
}

/** Reads these paths again every few seconds while the server is working. */
function useRefreshWhile(active: boolean, paths: readonly string[]): void {
  const forget = useForget();
  const latest = useRef(() => forget(...paths));
  latest.current = () => forget(...paths);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => void latest.current(), 4000);
    return () => clearInterval(timer);
  }, [active]);
}
