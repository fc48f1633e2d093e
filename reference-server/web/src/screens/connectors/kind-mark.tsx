import type { Connector } from "@admin/connectors";
import { Icon } from "../../parts/icon";
import "./connectors.css";

type Kind = Connector["kind"];

/** Own letters instead of the third parties' trademarks. */
const letters: Readonly<Record<Kind, string | undefined>> = {
  google: "Go",
  "microsoft-graph": "Mi",
  atlassian: "At",
  github: "Gi",
  slack: "Sl",
  oauth2: undefined,
};

/** A small sign for a third party, beside its name. */
export function KindMark({ kind }: { readonly kind: Kind }) {
  return (
    <span className="kind-mark" aria-hidden="true">
      {letters[kind] ?? <Icon name="connector" />}
    </span>
  );
}
