import type { ReactNode } from "react";
import type { useList } from "../../api/queries";
import { useDescribeError } from "../../parts/describe-error";
import { LinkButton, Section } from "../../parts/page";
import { type RecordRow, RecordRows } from "../../parts/record-rows";

/** Rows on a page that is about something else. */
export const shortListSize = 5;

/** The beginning of a list, or why there is none, with a link to the whole list. */
export function ShortList<T>(props: {
  readonly title: string;
  readonly lead?: string;
  readonly answer: ReturnType<typeof useList<T>>;
  readonly toRow: (item: T) => RecordRow;
  /** Instead of rows when there are none. */
  readonly none: string;
  readonly all: { readonly to: string; readonly label: string };
  /** A dialog about one of the rows. */
  readonly children: ReactNode;
}) {
  const { title, lead, answer, toRow, none, all, children } = props;
  const describe = useDescribeError();
  const items = answer.data?.pages[0]?.items;
  return (
    <Section
      title={title}
      lead={lead}
      actions={items?.length === shortListSize && <LinkButton to={all.to}>{all.label}</LinkButton>}
    >
      {items === undefined && answer.error !== null && <p className="problem">{describe(answer.error)}</p>}
      {items?.length === 0 && <p className="muted">{none}</p>}
      {items !== undefined && items.length > 0 && <RecordRows rows={items.map(toRow)} />}
      {children}
    </Section>
  );
}
