/**
 * The answer to one probe.
 *
 * @publicApi
 */
export interface HealthVerdict {
  readonly ok: boolean;
  /** Why not, one line each, with the names of the components. Empty when ok. */
  readonly reasons: readonly string[];
}

const OK: HealthVerdict = Object.freeze({ ok: true, reasons: Object.freeze([]) });

export function verdictOf(reasons: readonly string[]): HealthVerdict {
  return reasons.length === 0 ? OK : { ok: false, reasons };
}
