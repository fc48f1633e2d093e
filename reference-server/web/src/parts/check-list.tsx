import type { Inspection } from "@admin/resources";
import { useText } from "../text/text";
import { Icon, type IconName } from "./icon";

/** The result of one check. */
export type ListedCheck = Inspection["checks"][number];

const icons: Readonly<Record<ListedCheck["state"], IconName>> = {
  passed: "check",
  warning: "warning",
  failed: "failed",
  unreached: "minus",
};

/** Each check with its state, its finding, and a remedy where it did not pass. */
export function CheckList({ checks }: { readonly checks: readonly ListedCheck[] }) {
  const t = useText();
  return (
    <ul className="checks">
      {checks.map(({ id, state, title, detail, remedy }) => (
        <li key={id} data-state={state}>
          <Icon name={icons[state]} />
          <div>
            <p className="check-title">
              <span className="visually-hidden">{t(`parts.checks.${state}`)}: </span>
              {title}
            </p>
            {detail !== "" && <p className="muted">{detail}</p>}
            {remedy !== undefined && <p className="check-remedy">{remedy}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
