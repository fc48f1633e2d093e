import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { MainAction, Page } from "../../parts/page";
import { Views } from "../../parts/views";
import { KnownGroups } from "./known-groups";
import { GroupProviderList } from "./group-provider-list";

/** Where groups come from, or which groups are known: `?view=groups`. */
export default function GroupScreens() {
  const t = useText();
  const [search] = useSearch();
  const known = search.get("view") === "groups";
  const create = <MainAction to="/group-providers/new">{t("groups.create")}</MainAction>;
  return (
    <Page title={t("groups.title")} lead={t("groups.lead")} actions={create}>
      <Views
        label={t("groups.views")}
        views={[
          ["/group-providers", t("groups.sources")],
          ["/group-providers?view=groups", t("groups.known")],
        ]}
      />
      {known ? <KnownGroups /> : <GroupProviderList create={create} />}
    </Page>
  );
}
