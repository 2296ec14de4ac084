import type { Status } from '../core/status.js';
import { STATES, type ComponentFigures } from './component-figures.js';
import type { Instrument } from './instrument.js';
import type { MetricsRecorder } from './metrics-recorder.js';
import { Tally } from './tally.js';
import { CHECK_DURATION, RENEW_DURATION, START_DURATION, STOP_DURATION, TERM_DURATION } from './timed-instruments.js';

const COMPONENTS: readonly Instrument[] = [
  {
    name: 'component.state',
    kind: 'gauge',
    help: '1 for the state that the component is in, 0 for each other one.',
    labels: ['component', 'state'],
    read({ app, components }, emit) {
      const others: Status[] = [];
      let sharing: ComponentFigures | undefined;
      for (const { name, status } of app.components()) {
        const figures = components.of(name);
        if (figures.shared) sharing = figures;
        if (figures.shared) others.push(status);
        else figures.stateLabels.forEach((labels, at) => emit(STATES[at] === status ? 1 : 0, labels));
      }
      sharing?.stateLabels.forEach((labels, at) => emit(others.filter((it) => it === STATES[at]).length, labels));
    },
  },
  {
    name: 'component.starts',
    kind: 'counter',
    help: 'How often the component was started, restarts included.',
    labels: ['component'],
    read: (recorder, emit) => eachComponent(recorder, ({ starts, labels }) => emit(starts, labels)),
  },
  {
    name: 'component.failures',
    kind: 'counter',
    help: 'How often the component failed.',
    labels: ['component'],
    read: (recorder, emit) => eachComponent(recorder, ({ failures, labels }) => emit(failures, labels)),
  },
  {
    name: 'component.restarts',
    kind: 'counter',
    help: 'How often the component was restarted, by its restart policy or since it was unhealthy.',
    labels: ['component'],
    read({ app, components }, emit) {
      let others = 0;
      let sharing: ComponentFigures | undefined;
      for (const { name, restarts } of app.components()) {
        const figures = components.of(name);
        if (figures.shared) sharing = figures;
        if (figures.shared) others += restarts;
        else emit(restarts, figures.labels);
      }
      if (sharing !== undefined) emit(others, sharing.labels);
    },
  },
  START_DURATION,
  STOP_DURATION,
  {
    name: 'component.healthy',
    kind: 'gauge',
    help: '0 while the last health check of the run failed, else 1. Only of components that were checked.',
    labels: ['component'],
    read({ app, components }, emit) {
      const unhealthy = new Set<ComponentFigures>();
      for (const { name, healthy } of app.components()) {
        const figures = components.of(name);
        if (healthy !== undefined) figures.checked = true;
        if (healthy === false) unhealthy.add(figures);
      }
      // A collector may keep the last value of a series that is gone: what is no longer unhealthy has to be said.
      for (const it of components) if (it.checked) emit(unhealthy.has(it) ? 0 : 1, it.labels);
    },
  },
  CHECK_DURATION,
  {
    name: 'probe.ok',
    kind: 'gauge',
    help: '1 while the probe passes.',
    labels: ['probe'],
    read({ app }, emit) {
      for (const [probe, { ok }] of Object.entries(app.probes())) emit(ok ? 1 : 0, { probe });
    },
  },
];

const ELECTIONS: readonly Instrument[] = [
  {
    name: 'election.is_leader',
    kind: 'gauge',
    help: '1 while this replica leads, 0 from the instant at which it does not; also on standby.',
    labels: ['election'],
    read({ app }, emit) {
      for (const { election, leading } of app.elections()) emit(leading ? 1 : 0, { election });
    },
  },
  {
    name: 'election.last_acquired_timestamp_seconds',
    kind: 'gauge',
    unit: 's',
    help: 'When this replica was last elected, as Unix time.',
    labels: ['election'],
    read: ({ lastAcquired }, emit) => lastAcquired.each(emit),
  },
  {
    name: 'election.last_lost_timestamp_seconds',
    kind: 'gauge',
    unit: 's',
    help: 'When a term of this replica last ended, as Unix time.',
    labels: ['election'],
    read: ({ lastLost }, emit) => lastLost.each(emit),
  },
  {
    name: 'election.transitions',
    kind: 'counter',
    help: 'Terms that were acquired and lost; of a lost one also whether this replica gave it up by itself.',
    labels: ['election', 'transition', 'cause'],
    read({ app, transitions }, emit) {
      for (const { election } of app.elections()) {
        transitions.add(0, election, 'acquired');
        for (const cause of ['voluntary', 'involuntary']) transitions.add(0, election, 'lost', cause);
      }
      transitions.each(emit);
    },
  },
  TERM_DURATION,
  RENEW_DURATION,
  {
    name: 'election.deadline_remaining_seconds',
    kind: 'gauge',
    unit: 's',
    help: 'Time until the term ends unless it is renewed; 0 after it. Only where the elector has a deadline.',
    labels: ['election'],
    read({ app, deadlines }, emit) {
      for (const { election, remainingMs } of app.elections()) {
        if (remainingMs !== undefined) deadlines.add(election);
        // As above: that nothing is left any more has to be said.
        if (deadlines.has(election)) emit(Math.max(0, remainingMs ?? 0) / 1000, { election });
      }
    },
  },
  {
    name: 'election.errors',
    kind: 'counter',
    help: 'Errors that the elector reported; a refusal is one that only a change of settings or rights will cure.',
    labels: ['election', 'operation', 'kind'],
    read: ({ errors }, emit) => errors.each(emit),
  },
  {
    name: 'election.wedged',
    kind: 'gauge',
    help: '1 while the election loop, or work of a term that is over, hangs.',
    labels: ['election'],
    read({ app }, emit) {
      for (const { election, wedged } of app.elections()) emit(wedged === undefined ? 0 : 1, { election });
    },
  },
];

const APP: readonly Instrument[] = [
  {
    name: 'leader_only.calls',
    kind: 'counter',
    help: 'Calls of methods marked with @LeaderOnly(), and whether they ran.',
    labels: ['method', 'election', 'outcome'],
    read({ app, methods }, emit) {
      const calls = new Tally(this.labels);
      for (const { method, election, ran, skipped } of app.leaderOnlyCalls()) {
        calls.add(ran, methods.of(method), election, 'ran');
        calls.add(skipped, methods.of(method), election, 'skipped');
      }
      calls.each(emit);
    },
  },
  {
    name: 'event_bus.depth',
    kind: 'gauge',
    help: 'Events that the event bus holds back now.',
    labels: [],
    read: ({ app }, emit) => emit(app.eventBus().depth, {}),
  },
  {
    name: 'event_bus.dropped',
    kind: 'counter',
    help: 'Events that the event bus dropped since a buffer was full.',
    labels: [],
    read: ({ app }, emit) => emit(app.eventBus().dropped, {}),
  },
  {
    name: 'event_loop.delay_seconds',
    kind: 'gauge',
    unit: 's',
    help: 'How late timers of the process fired since the collection before: median, 99th percentile and maximum.',
    labels: ['stat'],
    read({ eventLoopDelay }, emit) {
      for (const [stat, seconds] of Object.entries(eventLoopDelay.read())) emit(seconds, { stat });
    },
  },
];

/** Everything that is measured, written down once: both exporters and the docs follow it. */
export const INSTRUMENTS: readonly Instrument[] = [...COMPONENTS, ...ELECTIONS, ...APP];

/** Also those that nothing has happened to: a series that begins at 1 hides its first increase. */
function eachComponent({ app, components }: MetricsRecorder, tell: (figures: ComponentFigures) => void): void {
  for (const { name } of app.components()) components.of(name);
  for (const figures of components) tell(figures);
}
