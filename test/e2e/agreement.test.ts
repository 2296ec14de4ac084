import { LifecycleComponent, LifecycleModule, Leadership, type LogLine, type StartContext } from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import { PrometheusMetrics } from 'nestjs-lifecycle/metrics/prometheus';
import { Registry } from 'prom-client';
import { Apps } from '../fixtures/apps.js';
import { aborted, until } from '../fixtures/until.js';
import { parseExposition } from '../unit/metrics/exporters.js';

const HANDOVERS = 6;
const apps = new Apps();

@LifecycleComponent(true)
class Job {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

interface Told {
  readonly kind: string;
  readonly fencingToken: string;
  readonly at: number;
}

/** One app of two, with all that tells who led when. */
async function replica(identity: string, hub: MemoryElectionHub) {
  const lines: LogLine[] = [];
  const keep = (line: string | LogLine) => void (typeof line === 'string' || lines.push(line));
  const register = new Registry();
  const app = await apps.listen({
    imports: [
      LifecycleModule.forRoot({
        identity,
        elector: new MemoryElector(hub),
        logger: { log: keep, warn: keep, error: keep },
        logFormat: 'fields',
        observers: [new PrometheusMetrics({ register })],
        statusPage: { history: 1000 },
      }),
    ],
    providers: [Job],
  });
  const status = async () =>
    (await fetch(`${await app.getUrl()}/lifecycle/status`)).json() as Promise<{ history: Told[] }>;
  return { app, leadership: app.get(Leadership), status, lines, register };
}

type Replica = Awaited<ReturnType<typeof replica>>;

const byEvent = ({ lines }: Replica, event: string) =>
  lines.filter((it) => it.event === event).map(({ fencingToken, at }) => ({ fencingToken, at }));

it('page, metrics and log agree on who led when, to the millisecond, while everything is asked all the time', async () => {
  const hub = new MemoryElectionHub();
  const replicas = [await replica('a', hub), await replica('b', hub)];
  const quiet = new AbortController();
  const load = replicas.map(async ({ status, register }) => {
    while (!quiet.signal.aborted) await Promise.all([status(), status(), register.metrics()]);
  });
  for (let handover = 0; handover < HANDOVERS; handover++) {
    await until(() => replicas.some(({ leadership }) => leadership.isLeader()));
    const leader = replicas.find(({ leadership }) => leadership.isLeader());
    await leader?.leadership.stepDown('the test', { cooldownMs: 50 });
  }
  quiet.abort();
  await Promise.all(load);
  await until(() => replicas.some(({ leadership }) => leadership.isLeader()));

  const terms = new Set<string>();
  for (const it of replicas) {
    const { history } = await it.status();
    const metrics = parseExposition(await it.register.metrics());
    for (const [kind, event] of [
      ['acquired', 'lifecycle.leadership.acquired'],
      ['lost', 'lifecycle.leadership.lost'],
    ] as const) {
      const shown = history
        .filter((entry) => entry.kind === kind)
        .map(({ fencingToken, at }) => ({ fencingToken, at }));
      expect(shown.length).toBeGreaterThan(0);
      expect(byEvent(it, event)).toEqual(shown);
      const last = metrics.get(`nestjs_lifecycle_election_last_${kind}_timestamp_seconds{election="default"}`);
      expect(Math.round((last ?? 0) * 1000)).toBe(Math.round(shown.at(-1)?.at ?? Number.NaN));
      if (kind === 'acquired') for (const { fencingToken } of shown) terms.add(fencingToken);
    }
    const isLeader = metrics.get('nestjs_lifecycle_election_is_leader{election="default"}');
    expect(isLeader).toBe(it.leadership.isLeader() ? 1 : 0);
  }
  expect(terms.size).toBeGreaterThan(HANDOVERS);
});
