import type { ComponentInfo } from '../core/component.js';
import type { ObservedApp, ObservedElection, ObservedProbe } from '../core/lifecycle-observer.js';
import type { LeaderDocument, StatusEntry } from './status-entry.js';
import { factText, leaderDocument, shortened } from './status-fact.js';

/** An election as JSON takes it. Absent fields have no value. */
export interface ElectionDocument {
  readonly election: string;
  readonly leading: boolean;
  /** Decimal digits of the token of the term that is under way here. */
  readonly fencingToken?: string;
  /** Until the term ends unless it is renewed. */
  readonly remainingMs?: number;
  readonly leader?: LeaderDocument;
  readonly wedged?: string;
  readonly error?: string;
}

/** What `GET /<path>/status` answers. Times in milliseconds since the epoch by the clock of the replica. */
export interface StatusDocument {
  readonly version: 1;
  readonly at: number;
  /** Who this replica is in the elections. */
  readonly identity: string;
  /** Whether the page offers to step down and to restart. */
  readonly actions: boolean;
  readonly probes: { readonly live: ObservedProbe; readonly ready: ObservedProbe; readonly startup: ObservedProbe };
  readonly elections: readonly ElectionDocument[];
  /** In order of registration. A list and not an object: a component may have any name. */
  readonly components: readonly ComponentInfo[];
  /** How many entries are kept. */
  readonly historyLimit: number;
  /** Number of the latest entry. */
  readonly seq: number;
  /** Oldest first. */
  readonly history: readonly StatusEntry[];
}

export interface DocumentParts {
  readonly app: ObservedApp;
  readonly actions: boolean;
  readonly historyLimit: number;
  readonly seq: number;
  readonly history: readonly StatusEntry[];
}

export function statusDocument({ app, actions, historyLimit, seq, history }: DocumentParts): StatusDocument {
  const { live, ready, startup } = app.probes();
  return {
    version: 1,
    at: app.clock.wallNow(),
    identity: app.identity,
    actions,
    probes: { live: probeDocument(live), ready: probeDocument(ready), startup: probeDocument(startup) },
    elections: app.elections().map(electionDocument),
    components: app.components().map(componentDocument),
    historyLimit,
    seq,
    history,
  };
}

function probeDocument({ ok, reasons }: ObservedProbe): ObservedProbe {
  return { ok, reasons: reasons.map(shortened) };
}

function electionDocument(observed: ObservedElection): ElectionDocument {
  const { election, leading, fencingToken, remainingMs, leader, wedged, error } = observed;
  return {
    election,
    leading,
    ...(fencingToken !== undefined && { fencingToken: String(fencingToken) }),
    ...(remainingMs !== undefined && { remainingMs: Math.round(remainingMs) }),
    ...(leader && { leader: leaderDocument(leader) }),
    ...(wedged !== undefined && { wedged: shortened(wedged) }),
    ...(error !== undefined && { error: factText(error) }),
  };
}

function componentDocument(info: ComponentInfo): ComponentInfo {
  return info.error === undefined ? info : { ...info, error: shortened(info.error) };
}
