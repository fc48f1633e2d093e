/** Options of `authz request` as commander gives them. */
export interface RequestOptions {
  method?: string;
  /** The name of a connection: the request goes to a third party. */
  connection?: string;
  scope: readonly string[];
  header: readonly string[];
  data?: string;
  uploadFile?: string;
  form: readonly string[];
  output?: string;
  /** The head of the answer, too. */
  include?: boolean;
  jq?: string;
  dryRun?: boolean;
  retry?: number;
  timeout?: number;
  paginate?: PaginationStyle;
  pageSize?: number;
  maxPages?: number;
}

/** How a service hands out long lists. */
export type PaginationStyle = "link" | "cursor" | "offset";

export const paginationStyles: readonly PaginationStyle[] = ["link", "cursor", "offset"];
