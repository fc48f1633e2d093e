import { Link, useScreenPath, useSearch } from "../address/links";
import "./lists.css";

/** Several lists under one title: ordinary links, with the one in the address marked. */
export function Views(props: {
  readonly label: string;
  readonly views: readonly (readonly [to: string, title: string])[];
}) {
  const { label, views } = props;
  const path = useScreenPath();
  const [search] = useSearch();
  const scores = views.map(([to]) => scoreOf(to, path, search));
  const current = scores.indexOf(Math.max(1, ...scores));
  return (
    <nav className="views" aria-label={label}>
      {views.map(([to, title], index) => (
        <Link key={to} to={to} aria-current={index === current ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}

/** How much of a view is in the address: 1 for its path and 1 for each value of its query, or 0 if something differs. */
function scoreOf(to: string, path: string, search: URLSearchParams): number {
  const [ownPath, query] = to.split("?");
  const values = [...new URLSearchParams(query)];
  return ownPath === path && values.every(([name, value]) => search.get(name) === value)
    ? 1 + values.length
    : 0;
}
