/** One page of a list, as it is asked for. */
export interface PageRequest<Sort extends string = string> {
  readonly limit: number;
  readonly sort: Sort;
  readonly descending: boolean;
  /** Where the page before ended: `Page.next` of that page. */
  readonly after: PagePosition | undefined;
  /** What the items have to contain, in any case. */
  readonly q: string | undefined;
}

/** The sort value and the id of the last item of a page, as text. */
export interface PagePosition {
  readonly value: string;
  readonly id: string;
}

/** Some items of a list, and where the next page begins. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: PagePosition | undefined;
}

/** The position is not one that a page of this list ended at. */
export class PagePositionError extends Error {
  override readonly name = "PagePositionError";
  constructor(options?: ErrorOptions) {
    super("The position is not one of this list.", options);
  }
}
