import { Button, type ButtonProps } from "@mantine/core";
import { createContext, type ReactNode, useContext, useEffect } from "react";
import { type Route, useMay, useSession } from "../api/session";
import { Link, screenPath, useGo } from "../address/links";
import { useHeadingFocus } from "./focus";
import { useText } from "../text/text";
import { Icon, type IconName } from "./icon";

export interface PageProps {
  readonly title: string;
  /** The purpose of the screen in one sentence. */
  readonly lead?: ReactNode;
  /** The screen above this one. */
  readonly parent?: { readonly to: string; readonly title: string };
  /** Beside the title, the main action last. */
  readonly actions?: ReactNode;
  /** For forms: the width of one comfortable column. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

const OnPage = createContext(false);

/** Whether a title of the screen is drawn above already. */
export function useOnPage(): boolean {
  return useContext(OnPage);
}

/** A screen: title, actions, content. Sets the window's title. */
export function Page({ title, lead, parent, actions, narrow = false, children }: PageProps) {
  const { installation } = useSession();
  const heading = useHeadingFocus();
  useEffect(() => {
    document.title = `${title} · ${installation.name}`;
  }, [title, installation.name]);
  return (
    <div className={narrow ? "page narrow" : "page"}>
      <header className="page-header">
        <div className="page-titles">
          {parent !== undefined && (
            <Link className="page-parent" to={parent.to}>
              <Icon name="back" size={14} />
              {parent.title}
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="page-lead">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      <OnPage value={true}>{children}</OnPage>
    </div>
  );
}

/** The screen's main action, for people who may use its route; `n` presses it. */
export function MainAction({
  route,
  to,
  onClick,
  icon = "plus",
  children,
  ...rest
}: ButtonProps & {
  readonly route: Route;
  readonly to?: string;
  readonly onClick?: () => void;
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  const go = useGo();
  if (!useMay()(route)) return undefined;
  return (
    <Button
      {...rest}
      data-main-action
      leftSection={<Icon name={icon} />}
      onClick={() => {
        onClick?.();
        if (to !== undefined) go(to);
      }}
    >
      {children}
    </Button>
  );
}

/** A link with the look of a secondary button. */
export function LinkButton({
  to,
  route,
  icon,
  children,
}: {
  readonly to: string;
  /** What its screen is for: people who may not use it do not see the button. */
  readonly route?: Route;
  readonly icon?: IconName;
  readonly children: ReactNode;
}) {
  const may = useMay();
  if (route !== undefined && !may(route)) return undefined;
  return (
    <Link to={to} className="link-button">
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </Link>
  );
}

const personId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A link to the events of one object, or of one person by id: `<HistoryLink subject="contracts:read" />`. */
export function HistoryLink({ subject }: { readonly subject: string }) {
  const t = useText();
  const may = useMay();
  if (!may("GET /audit-events")) return undefined;
  // Events have a subject only if it is a person; other objects are found by their keys.
  const filter = personId.test(subject) ? "subject" : "q";
  return (
    <LinkButton icon="history" to={`/audit?${filter}=${encodeURIComponent(subject)}`}>
      {t("parts.history")}
    </LinkButton>
  );
}

/** A link to the explanation of a permission, filled in. */
export function ExplainLink(props: {
  readonly email?: string;
  readonly resource?: string;
  readonly scope?: string;
}) {
  const t = useText();
  const query = new URLSearchParams(Object.entries(props).filter(([, value]) => value !== undefined));
  return (
    <LinkButton icon="explain" to={`/explain?${query.toString()}`}>
      {t("parts.explain")}
    </LinkButton>
  );
}

/** The screen of a skill: `installation.{id}` is an own skill, `{service}.{id}` is in the catalog of a service. */
export function skillPath(publishedId: string): string {
  const [source = "", ...id] = publishedId.split(".");
  return source === "installation" ? screenPath("skills", id.join(".")) : screenPath("catalogs", source);
}

/** A part of a page under its own heading. */
export function Section({
  title,
  lead,
  actions,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <section className="section">
      <header className="section-header">
        <div>
          <h2>{title}</h2>
          {lead !== undefined && <p className="muted">{lead}</p>}
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** A name and its value; `false` leaves the fact out. */
export type Fact = readonly [name: string, value: ReactNode] | false;

/** Names and values beside each other. */
export function Facts({ items }: { readonly items: readonly Fact[] }) {
  return (
    <dl className="facts">
      {items.map(
        (fact) =>
          fact !== false && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
