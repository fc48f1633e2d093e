import { useItem } from "../api/queries";
import { formatNumber, useText } from "../text/text";
import { Icon } from "../parts/icon";
import { useAreas } from "./use-areas";
import { type Area, groups, type Waiting } from "../screens/area";
import { Link, useScreenPath } from "../address/links";

/** The areas of the person, in groups. */
export function Navigation({ label }: { readonly label: string }) {
  const t = useText();
  const areas = useAreas();
  return (
    <nav className="navigation" aria-label={label}>
      {groups.map((group) => {
        const entries = areas.filter((area) => area.group === group);
        if (entries.length === 0) return undefined;
        return (
          <div key={group} className="navigation-group">
            {group !== "start" && <h2>{t(`shell.groups.${group}`)}</h2>}
            <ul>
              {entries.map((area) => (
                <Entry key={area.id} area={area} />
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function Entry({ area }: { readonly area: Area }) {
  const t = useText();
  const path = useScreenPath();
  const [, first = ""] = path.split("/");
  const active = area.screens.some((screen) => screen.path.split("/")[1] === first);
  return (
    <li>
      <Link to={area.path} aria-current={active ? "page" : undefined}>
        <Icon name={area.icon} />
        {t(`shell.areas.${area.id}`)}
        {area.waiting !== undefined && <Count waiting={area.waiting} />}
      </Link>
    </li>
  );
}

function Count({ waiting }: { readonly waiting: Waiting }) {
  const t = useText();
  const { data } = useItem<never>(waiting.item);
  const count = data === undefined ? 0 : waiting.count(data);
  if (count === 0) return undefined;
  return (
    <span className="navigation-count">
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="visually-hidden"> ({t(waiting.text, { count })})</span>
    </span>
  );
}
