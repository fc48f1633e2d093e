/** Something that an agent asked for is not to be had. The sentence says what to do, and quotes nothing of anybody else. */
export class AgentRefusal extends Error {
  override readonly name = "AgentRefusal";
  readonly code: "not_found" | "invalid_request";
  constructor(code: AgentRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}
