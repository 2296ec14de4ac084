import type { AddressInfo } from 'node:net';
import type { CanActivate, INestApplication } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import {
  Leadership,
  LifecycleComponent,
  LifecycleModule,
  Registry,
  type LifecycleRootOptions,
  type StartContext,
} from 'nestjs-lifecycle';
import { MemoryElectionHub, MemoryElector } from 'nestjs-lifecycle/electors/memory';
import type { Page } from 'playwright-core';
import { Apps, RecordingLogger } from '../fixtures/apps.js';
import { Browser, describeWithBrowser } from '../fixtures/browser.js';
import { aborted, until } from '../fixtures/until.js';

const HOSTILE = `<img src=x onerror="window.broken=true"> </script><script>window.broken=true</script>`;

@LifecycleComponent({ restart: 'on-failure', criticality: 'degradable' })
class OrderFeed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }

  healthCheck(): void {
    // Healthy.
  }
}

@LifecycleComponent({ leaderOnly: true })
class Settlement {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

@LifecycleComponent({ name: `Hostile ${HOSTILE} \u202egnirts`, criticality: 'optional' })
class Hostile {
  start(): Promise<void> {
    return Promise.reject(new Error(`${HOSTILE} ${'long '.repeat(2000)}`));
  }
}

const guard: CanActivate = { canActivate: () => true };

describeWithBrowser('the status page in Chromium', () => {
  const browser = new Browser();
  // Before the apps are closed, which wait for connections that a browser opened in advance.
  afterEach(() => browser.closePages());
  const apps = new Apps();
  let hub: MemoryElectionHub;

  beforeAll(() => browser.start());
  afterAll(() => browser.stop());
  beforeEach(() => {
    hub = new MemoryElectionHub();
    browser.complaints.length = 0;
  });

  const create = (identity: string, options: LifecycleRootOptions = {}): Promise<INestApplication> =>
    apps.create(
      {
        imports: [
          EventEmitterModule.forRoot(),
          LifecycleModule.forRoot({
            identity,
            elector: new MemoryElector(hub),
            logger: new RecordingLogger(),
            statusPage: { guards: [guard], actions: true },
            ...options,
          }),
        ],
        providers: [OrderFeed, Settlement, Hostile],
      },
      undefined,
      { forceCloseConnections: true },
    );

  const listen = async (identity: string, options?: LifecycleRootOptions): Promise<INestApplication> => {
    const app = await create(identity, options);
    await app.listen(0, '127.0.0.1');
    return app;
  };
  const open = (app: INestApplication): Promise<Page> =>
    browser.open(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/lifecycle`);
  const leads = (app: INestApplication) => until(() => app.get(Leadership).isLeader());
  const shows = (page: Page, selector: string, text: string) =>
    page.locator(selector, { hasText: text }).first().waitFor({ state: 'visible' });

  it('shows a hand-over live, on both replicas, without a reload', async () => {
    const first = await listen('replica-one');
    await leads(first);
    const second = await listen('replica-two');
    const [one, two] = [await open(first), await open(second)];
    await shows(one, '#elections .chip', 'Leading');
    await shows(two, '#elections .card', 'replica-one');
    for (const page of [one, two]) await page.evaluate('window.notReloaded = true');
    await first.get(Leadership).stepDown('maintenance', { cooldownMs: 200 });
    await shows(two, '#elections .chip', 'Leading');
    await shows(one, '#elections .card', 'replica-two');
    await shows(one, '#history li', 'given up');
    await shows(one, '#history li', 'maintenance');
    await shows(two, '#history li', 'acquired');
    for (const page of [one, two]) expect(await page.evaluate('window.notReloaded')).toBe(true);
    expect(await one.locator('#timeline rect.own').count()).toBeGreaterThan(0);
    expect(await one.locator('#timeline rect.other').count()).toBeGreaterThan(0);
    expect(browser.complaints).toEqual([]);
  });

  it('steps down and restarts, but only when a button is pressed twice', async () => {
    const app = await listen('replica-one');
    await leads(app);
    const page = await open(app);
    const row = page.locator('.row', { hasText: 'OrderFeed' });
    await row.getByRole('button', { name: 'Restart' }).click();
    expect(app.get(Registry).status()['OrderFeed']).toMatchObject({ restarts: 0 });
    await row.getByRole('button', { name: 'Really?' }).click();
    await until(() => app.get(Registry).status()['OrderFeed']?.restarts === 1);
    await shows(page, '#message', 'The component is restarted.');
    await page.getByRole('button', { name: 'Step down' }).click();
    await page.getByRole('button', { name: 'Really step down?' }).click();
    await until(() => !app.get(Leadership).isLeader());
    await shows(page, '#elections .chip', 'No leader known');
    expect(browser.complaints).toEqual([]);
  });

  it('shows hostile texts as text', async () => {
    const page = await open(await listen(HOSTILE));
    await shows(page, '.row .name', HOSTILE);
    await shows(page, '.row .error', HOSTILE);
    await shows(page, '#history li', HOSTILE);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.evaluate('window.broken')).toBeUndefined();
    expect(browser.complaints).toEqual([]);
  });

  it('fits a phone, in the dark, and shows no button without actions', async () => {
    const page = await open(
      await listen('a-replica-with-a-rather-long-name-7d9f8b6c4-x2lqp', { statusPage: { guards: [guard] } }),
    );
    await page.setViewportSize({ width: 360, height: 740 });
    await shows(page, '.row .name', HOSTILE);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.locator('.row button:visible, .card button:visible').count()).toBe(0);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background()).not.toBe(light);
    expect(browser.complaints).toEqual([]);
  });

  it('says that the app has stopped, and connects again when it is back', async () => {
    const first = await listen('replica-one');
    const { port } = first.getHttpServer().address() as AddressInfo;
    const page = await open(first);
    await shows(page, '#connection', 'Connected');
    await apps.close(first);
    await shows(page, '#connection', 'Stopped');
    const second = await create('replica-two');
    await second.listen(port, '127.0.0.1');
    await shows(page, '#connection', 'Connected');
    await shows(page, '#identity', 'replica-two');
  });
});
