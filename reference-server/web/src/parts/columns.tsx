import type { ReactNode } from "react";
import { Link } from "../address/links";
import { formatNumber } from "../text/text";
import type { Column } from "./resource-table-props";
import { Time } from "./time";

/** The cell with a row's name: a link, and below it a detail that distinguishes the row. */
export function NameCell(props: {
  readonly to: string;
  readonly name: ReactNode;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <Link to={props.to}>{props.name}</Link>
      {props.children !== undefined && <div className="muted">{props.children}</div>}
    </>
  );
}

/** A column of numbers; left out on narrow windows. */
export function countColumn<T>(
  id: string,
  header: string,
  width: string,
  countOf: (item: T) => number,
): Column<T> {
  return { id, header, width, align: "end", secondary: true, cell: (item) => formatNumber(countOf(item)) };
}

/**
 * A column of times; left out on narrow windows.
 *
 * @param sort - the API's sort key, if any
 */
export function timeColumn<T>(
  id: string,
  header: string,
  width: string,
  timeOf: (item: T) => string | null,
  sort?: string,
): Column<T> {
  const cell = (item: T) => <Time at={timeOf(item)} />;
  return { id, header, width, secondary: true, cell, ...(sort !== undefined && { sort }) };
}
