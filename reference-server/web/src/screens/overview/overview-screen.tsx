import type { Overview } from "@admin/overview";
import { useItem } from "../../api/queries";
import { useText } from "../../text/text";
import { Loaded } from "../../parts/loaded";
import { LinkButton, Page, Section } from "../../parts/page";
import { RecordRows } from "../../parts/record-rows";
import { Catalogs, Keys } from "./health";
import "./overview.css";
import { TopClients, TopResources, TopSkills } from "./rankings";
import { Requests } from "./requests";
import { State } from "./state";
import { StopNotice } from "../stops/stop-of";

/** The installation at a glance: its state, next steps, and requests. */
export default function OverviewScreen() {
  const t = useText();
  const answer = useItem<Overview>("/overview");
  return (
    <Page title={t("overview.title")}>
      <Loaded answer={answer}>
        {(overview) => (
          <div className="overview">
            <StopNotice subject={{ kind: "all" }} />
            <State overview={overview} />
            <Hints hints={overview.hints} />
            <Requests overview={overview} />
            <div className="overview-pair">
              <TopResources overview={overview} />
              <TopClients overview={overview} />
            </div>
            <div className="overview-pair">
              <TopSkills overview={overview} />
              <div>
                <Catalogs catalogs={overview.catalogs} />
                <Keys keys={overview.signingKeys} />
              </div>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Hints({ hints }: { readonly hints: Overview["hints"] }) {
  const t = useText();
  if (hints.length === 0) return undefined;
  return (
    <Section title={t("overview.next")}>
      <RecordRows
        rows={hints.map(({ id, target }) => ({
          id,
          title: <strong>{t(`overview.hints.${id}.title`)}</strong>,
          detail: t(`overview.hints.${id}.detail`),
          action: <LinkButton to={target}>{t(`overview.hints.${id}.button`)}</LinkButton>,
        }))}
      />
    </Section>
  );
}
