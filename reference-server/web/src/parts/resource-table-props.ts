import type { ReactNode } from "react";
import type { Query } from "../api/request";
import type { RowAction } from "./open-row-menu";
import type { Selection } from "./selection-bar";

/** An object that a search can suggest, named as the filter of the list that it sets. */
export type Suggestible = "scope" | "group" | "email" | "user" | "client" | "service";

export interface Column<T> {
  readonly id: string;
  readonly header: string;
  /** Put a `<Link>` into the first column: it is what opens the row by keyboard. */
  readonly cell: (item: T) => ReactNode;
  /** The API's sort key; makes the head a button. */
  readonly sort?: string;
  readonly align?: "end";
  /** CSS width; columns without share what is left. */
  readonly width?: string;
  /** The head is for screen readers only: the cells say it themselves. */
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
  /** What a row is called when it is selected. */
  readonly rowName: (item: T) => string;
  /** The screen that a click on the row opens. */
  readonly rowTo?: (item: T) => string;
  /** The sort key that the API uses when nothing is said: `name` or `-at`. */
  readonly defaultSort: string;
  /** What the search field is called: "Search services". Without it there is no search. */
  readonly search?: string;
  /** What the search suggests while somebody types, and which filter that sets. */
  readonly suggests?: readonly Suggestible[];
  /** Beside the search. */
  readonly toolbar?: ReactNode;
  /** Whether a filter is active, so that an empty list is not the first one. */
  readonly filtered?: boolean;
  /** What the list shows when there is nothing at all: the next step, with one button. */
  readonly empty: { readonly title: string; readonly text: string; readonly action?: ReactNode };
  /** Buttons for the rows that are selected; makes rows selectable. Call `clear` when the action is done. */
  readonly bulkActions?: (selection: Selection<T>, clear: () => void) => ReactNode;
  /** The API names all that a search finds: `/scopes/ids`. Then all of it can be selected. */
  readonly selectsAll?: boolean;
  /** What the menu at the end of each row offers. */
  readonly rowActions?: (item: T) => readonly RowAction[];
  /** The API does not count this list. */
  readonly uncounted?: boolean;
}
