import { useSearch } from "../../app/links";
import { useMessages } from "../../messages/language";
import { MainAction, Page } from "../../parts/page";
import { Views } from "../../parts/views";
import { KnownGroups } from "./known-groups";
import { messages } from "./messages";
import { SourceList } from "./source-list";

/** Where groups come from, or which groups are known: `?view=groups`. */
export default function GroupScreens() {
  const t = useMessages(messages);
  const [search] = useSearch();
  const known = search.get("view") === "groups";
  const create = <MainAction to="/group-providers/new">{t.create}</MainAction>;
  return (
    <Page title={t.title} lead={t.lead} actions={create}>
      <Views
        label={t.views}
        views={[
          { to: "/group-providers", title: t.sources, current: !known },
          { to: "/group-providers?view=groups", title: t.known, current: known },
        ]}
      />
      {known ? <KnownGroups /> : <SourceList create={create} />}
    </Page>
  );
}
