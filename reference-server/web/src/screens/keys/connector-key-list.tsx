import type { ConnectorKeys } from "@admin/connector-keys";
import { useItem } from "../../api/queries";
import { withQuery } from "../../address/links";
import { useText } from "../../text/text";
import { IfMay } from "../../parts/if-may";
import { Icon } from "../../parts/icon";
import { Identifier, Status } from "../../parts/identifier";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Page } from "../../parts/page";
import { VerdictBox } from "../../parts/verdict-box";
import "../../parts/lists.css";
import "./keys.css";
import { KeyViews } from "./key-views";
import { RewrapSection } from "./rewrap-section";

type Key = ConnectorKeys["keys"][number];

/** The keys that encrypt people's tokens: their state, how much each protects, and re-encryption under the active one. */
export default function ConnectorKeyList() {
  const t = useText();
  const answer = useItem<ConnectorKeys>("/connector-keys");
  return (
    <Page
      title={t("connector-keys.title")}
      lead={t("connector-keys.lead")}
      actions={
        <LinkButton icon="history" to={withQuery("/audit", { type: "connector_key.rewrapped" })}>
          {t("parts.history")}
        </LinkButton>
      }
    >
      <KeyViews />
      <Loaded answer={answer}>
        {(keys) => (
          <>
            <State keys={keys} />
            {keys.keys.length > 0 && (
              <div className="key-cards">
                {keys.keys.map((item) => (
                  <KeyCard key={item.keyId} item={item} variable={variableOf(keys)} />
                ))}
              </div>
            )}
            {/* Stays after the last old key is gone, to show the result. */}
            {keys.keys.length > 0 && (
              <IfMay route="POST /connector-keys/rewraps">
                <RewrapSection keys={keys} />
              </IfMay>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** The variable that a missing key belongs in: without an active key, the missing one was the active one. */
function variableOf({ state }: ConnectorKeys): string {
  return state === "not_configured" ? "AUTHZ_CONNECTOR_KEK" : "AUTHZ_CONNECTOR_KEK_PREVIOUS";
}

function State({ keys: { state, problem, keys } }: { readonly keys: ConnectorKeys }) {
  const t = useText();
  if (state === "ready" && problem === null) return undefined;
  const absent = state === "not_configured";
  const grave = !absent && state !== "ready";
  return (
    <VerdictBox state={grave ? "failed" : "warning"} title={t(`connector-keys.states.${state}`)}>
      <p>{absent ? t("connector-keys.notConfigured") : problem}</p>
      {absent && keys.length === 0 && (
        <LinkButton to="/connectors/new">{t("connector-keys.howTo")}</LinkButton>
      )}
    </VerdictBox>
  );
}

function KeyCard({ item, variable }: { readonly item: Key; readonly variable: string }) {
  const t = useText();
  const { keyId, active, readable, connections, connectors } = item;
  const name = active
    ? t("connector-keys.active")
    : readable
      ? t("connector-keys.reads")
      : t("connector-keys.missing");
  const used = connections + connectors > 0;
  const advice = readable
    ? active
      ? undefined
      : used
        ? t("connector-keys.obsolete")
        : t("connector-keys.removable")
    : used &&
      t("connector-keys.missingAdvice", {
        place: keyId.startsWith("vault:") ? "vault" : "variable",
        variable,
      });
  return (
    <article
      className="key-card"
      data-state={active ? "active" : readable ? "staged" : "missing"}
      aria-label={`${name}: ${keyId}`}
    >
      <header>
        <div>
          <Status tone={active ? "good" : readable ? "warning" : "bad"}>
            <strong>{name}</strong>
          </Status>
          <Identifier>{keyId}</Identifier>
        </div>
      </header>
      <p>
        {t("connector-keys.uses", {
          connections,
          connectors,
        })}
      </p>
      {advice !== undefined && advice !== false && (
        <p className="key-advice" data-urgent={used}>
          <Icon name={used ? "warning" : "check"} />
          <span>{advice}</span>
        </p>
      )}
    </article>
  );
}
