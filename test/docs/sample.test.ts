import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../../sample/01-quickstart/src/app.module.js';
import { hints } from '../../sample/01-quickstart/src/demo/hints.js';
import { pages } from './pages.js';

const BASE = 'http://localhost:3000';

describe('sample/01-quickstart', () => {
  let app: INestApplication;
  let url: string;

  beforeAll(async () => {
    app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });

  afterAll(() => app.close());

  it('ships what was ordered and paid', async () => {
    await until(async () => (await json<{ shipped: number }>('/orders')).shipped > 0, 15_000);

    const totals = await json<Record<string, number>>('/orders');
    expect(totals.received).toBe(
      totals.waitingForPayment! + totals.waitingForShipment! + totals.shipped! + totals.cancelled!,
    );
    expect(totals.revenueCents).toBeGreaterThanOrEqual(totals.shipped! * 500);
  }, 20_000);

  it('turns /health within seconds when a component fails or stalls, and recovers by itself', async () => {
    await Promise.all(['/demo/fail', '/demo/stall'].map((path) => fetch(url + path, { method: 'POST' })));

    await until(async () => {
      const { status, body } = await health();
      const down = Object.keys(body.error);
      return status === 503 && down.includes('component:OrderConsumer') && down.includes('component:PaymentPoller');
    }, 6000);
    await until(async () => (await health()).status === 200, 20_000);

    const incidents = await json<{ component: string; what: string }[]>('/incidents');
    expect(incidents).toContainEqual(expect.objectContaining({ component: 'OrderConsumer', what: 'failed' }));
    expect(incidents).toContainEqual(expect.objectContaining({ component: 'PaymentPoller', what: 'unhealthy' }));
  }, 30_000);

  it('answers every curl line that is printed or documented', async () => {
    const text = [hints(BASE), ...pages.flatMap(({ blocks }) => blocks.map(({ code }) => code))].join('\n');
    const lines = [...text.matchAll(/curl (?:-X (\w+) )?http:\/\/localhost:3000(\/\S*)/g)];

    expect(lines.length).toBeGreaterThan(10);
    for (const [line, method = 'GET', path] of lines) {
      const { status } = await fetch(`${url}${path}`, { method });
      expect({ line, known: status !== 404 && status !== 405 }).toEqual({ line, known: true });
    }
  });

  async function json<T>(path: string): Promise<T> {
    return (await (await fetch(url + path)).json()) as T;
  }

  async function health(): Promise<{ status: number; body: { error: object } }> {
    const response = await fetch(`${url}/health`);
    return { status: response.status, body: (await response.json()) as { error: object } };
  }

  async function until(condition: () => Promise<boolean>, limitMs: number): Promise<void> {
    for (const deadline = Date.now() + limitMs; !(await condition()); await sleep(50)) {
      if (Date.now() > deadline) throw new Error(`Not so after ${limitMs} ms: ${condition.toString()}`);
    }
  }
});
