import { Link } from "../address/links";
import "./lists.css";

export interface View {
  readonly to: string;
  readonly title: string;
  readonly current: boolean;
}

/** Several lists under one title: ordinary links, the current one marked. */
export function Views({ label, views }: { readonly label: string; readonly views: readonly View[] }) {
  return (
    <nav className="views" aria-label={label}>
      {views.map(({ to, title, current }) => (
        <Link key={to} to={to} aria-current={current ? "page" : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
}
