/** How much there is of what administrators look after. */
export interface InstallationCounts {
  /** Enabled people who have signed in. */
  readonly people: number;
  readonly resources: number;
  readonly scopes: number;
  readonly assignments: number;
  /** Assignments of anything but the server's own scopes. */
  readonly ordinaryAssignments: number;
  /** Assignments of the log-in, without which nobody uses the command-line client. */
  readonly logInAssignments: number;
  /** Assignments of the administration. */
  readonly administratorAssignments: number;
  /** Enabled ones. */
  readonly identityProviders: number;
  readonly ownSkills: number;
  /** Enabled ones at which more accounts have to be connected again than are connected. */
  readonly failingConnectors: number;
}

export interface InstallationCountStore {
  count(): Promise<InstallationCounts>;
}
