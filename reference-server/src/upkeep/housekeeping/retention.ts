import { lifetimes } from "../../protocol/vocabulary.js";
import type { ExpiredKind } from "../../store/expired-records.js";

/** Processes know the time of the database only roughly: a record that has expired for one may still be live for another. */
const clockDifference = 300;
const day = 24 * 3600;
const month = 30 * day;

/**
 * Seconds that each kind stays after it has expired.
 *
 * Records that detect a second use stay as long as the first use matters: a used code until its grant is removed, a rotated refresh token
 * until it would have expired anyway, an accepted proof until no process can accept it: the database refuses it once it has expired, and
 * the rest is for statements that began before.
 */
export const keepSeconds: Readonly<Record<ExpiredKind, number>> = {
  // The person reads the decision here.
  access_requests: 12 * month,
  // A person who still wants the app requests it again.
  app_requests: 3 * month,
  // As a decision about access.
  approvals: 12 * month,
  // The overview shows thirty days, the page of a client ninety.
  audit_client_counts: 4 * month,
  audit_client_people: 4 * month,
  audit_counts: 4 * month,
  audit_resource_counts: 4 * month,
  authorization_codes: clockDifference,
  authorization_requests: clockDifference,
  browser_sessions: clockDifference,
  // A client that polls late learns that the attempt is over.
  connection_attempts: 3600,
  // Longer than it takes to begin the grant that it belongs to.
  consents: 3600,
  device_authorizations: clockDifference,
  dpop_replays: clockDifference,
  expired_grants: month,
  // A person who is in it, and signs in as rarely as a grant allows, has named it in this time.
  known_groups: 4 * month,
  // A grant that began before it was lifted has ended by itself, and was removed.
  lifted_stops: lifetimes.grant + month + day,
  rate_limits: clockDifference,
  refresh_tokens: clockDifference,
  revoked_grants: month,
  // Longer than the longest period of a limit.
  rule_uses: 2 * day,
  sign_in_attempts: clockDifference,
  // As long as a result is valid for unsaved changes, and may be opened again.
  sign_in_tests: 3600,
  skill_reads: 4 * month,
  // They are free already.
  status_entries: clockDifference,
  // The document of a client in use is fetched at least once a day.
  unused_documents: 7 * 24 * 3600,
  unused_registrations: month,
  // A chart shows ninety days, and the last 24 hours by the hour. Both begin with a whole day or hour.
  usage_counts_days: 91 * day,
  usage_counts_hours: 2 * day,
  usage_denials_days: 91 * day,
  usage_denials_hours: 2 * day,
  usage_people_days: 91 * day,
  usage_people_hours: 2 * day,
  usage_person_sums_days: 91 * day,
  usage_person_sums_hours: 2 * day,
  usage_person_sums_weeks: 91 * day,
  user_groups: clockDifference,
};
