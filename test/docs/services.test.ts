import { afterEach, describe, expect, it } from '@jest/globals';
import { Service } from './service.js';

describe('the snippets of a page, put together', () => {
  let service: Service;

  afterEach(() => service.remove());

  it('README: boot, answer at /health, and stop in order on SIGTERM', async () => {
    service = await Service.start('README.md');

    const health = await service.get('/health');
    expect(health).toMatchObject({
      status: 200,
      body: {
        info: {
          'component:OrderFeed': { status: 'up' },
          'component:InvoiceRun': { status: 'up', election: 'default' },
          'leadership:default': { status: 'up', role: 'leader' },
        },
      },
    });
    for (const probe of ['live', 'ready', 'startup']) {
      expect(await service.get(`/health/${probe}`)).toEqual({ status: 200, body: { status: 'ok' } });
    }

    expect(['SIGTERM', 143]).toContain(await service.stop('SIGTERM'));
    const stops = service.output.match(/(?:InvoiceRun is stopping|OrderFeed stopped)/g);
    expect(stops).toEqual(['InvoiceRun is stopping', 'OrderFeed stopped']);
  }, 60_000);

  it('docs/health.md: let the health endpoints past a global guard and a global prefix', async () => {
    service = await Service.start('docs/health.md');

    for (const path of ['/health', '/health/live', '/health/ready', '/health/startup']) {
      expect(await service.get(path)).toMatchObject({ status: 200 });
    }
    expect(await service.get('/api/health')).toMatchObject({ status: 404 });
    expect(service.output).not.toContain('WARN');
  }, 60_000);
});
