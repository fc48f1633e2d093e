import type { ListedAssignment } from "../../store/assignments.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { Assignment } from "./schemas.js";

/** An assignment as the API shows it. */
export function showAssignment({ createdAt, ...assignment }: ListedAssignment): Assignment {
  return { ...assignment, createdAt: isoTime(createdAt), version: 1 };
}

/** @throws {AdminError} `not_found` */
export async function loadAssignment(store: Pick<Store, "assignments">, id: string): Promise<Assignment> {
  const [assignment] = await store.assignments.findAll([id]);
  if (assignment === undefined) throw notFound(({ things }) => things.assignment);
  return showAssignment(assignment);
}
