import type { ReactNode } from "react";
import type { Query } from "../api/request";
import type { RowAction } from "./open-row-menu";
import type { Selection } from "./selection-bar";

/** An object that a search can suggest, named as the filter of the list that it sets. */
export type Suggestible = "scope" | "group" | "email" | "user" | "client" | "service";

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  /** The first column needs a `<Link>`, which opens the row by keyboard. */
  readonly cell: (item: T) => ReactNode;
  /** The API's sort key; makes the head a button. */
  readonly sort?: string;
  readonly align?: "end";
  /** CSS width; columns without share what is left. */
  readonly width?: string;
  /** The head is visible to screen readers only, because the cells are clear without it. */
  readonly quiet?: boolean;
  /** Left out on narrow windows. */
  readonly secondary?: boolean;
}

export interface ResourceTableProps<T> {
  /** The list of the API: `/scopes`. */
  readonly list: string;
  /** Filters beside search and sort. */
  readonly filters?: Query;
  readonly columns: readonly Column<T>[];
  /** The key of a row, unique in the list. */
  readonly rowId: (item: T) => string;
  /** The name of a row, for screen readers. */
  readonly rowName: (item: T) => string;
  /** The screen that a click on the row opens. */
  readonly rowTo?: (item: T) => string;
  /** The API's default sort key: `name` or `-at`. */
  readonly defaultSort: string;
  /** The label of the search field: "Search services". Without it there is no search. */
  readonly search?: string;
  /** Filters that the search suggests. */
  readonly suggests?: readonly Suggestible[];
  /** Beside the search. */
  readonly toolbar?: ReactNode;
  /** Whether a filter is active, so that an empty list is not the first one. */
  readonly filtered?: boolean;
  /** In place of an empty list: the next step, with one button. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  /** Buttons for the rows that are selected; makes rows selectable. Call `clear` when the action is done. */
  readonly bulkActions?: (selection: Selection<T>, clear: () => void) => ReactNode;
  /** The API lists the ids of all results, `/scopes/ids`, so that all of them can be selected. */
  readonly selectsAll?: boolean;
  /** The menu at the end of each row. */
  readonly rowActions?: (item: T) => readonly RowAction[];
  /** The API does not count this list. */
  readonly uncounted?: boolean;
}
