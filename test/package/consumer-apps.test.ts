import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Consumer, rangesOf } from './consumer.js';

const PEERS = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/event-emitter',
  '@nestjs/platform-express',
  '@nestjs/terminus',
  'reflect-metadata',
  'rxjs',
];
const ENGINE_CLIENTS = /^(ioredis|redis|pg|mysql2|nats|etcd3|@redis|@nats-io|@kubernetes)$/;

describe.each([
  { name: 'an ES module app on Nest 12', type: 'module', manifest: 'package.json' },
  { name: 'a CommonJS app on Nest 11', type: 'commonjs', manifest: 'test/nest11/package.json' },
] as const)('$name', ({ type, manifest }) => {
  let consumer: Consumer;

  beforeAll(() => {
    const types = rangesOf('package.json', ['@types/node']);
    consumer = new Consumer({ app: 'service', type, dependencies: { ...rangesOf(manifest, PEERS), ...types } });
  }, 300_000);

  afterAll(() => consumer.remove());

  it('gets no engine client with the package', () => {
    const installed = readdirSync(join(consumer.folder, 'node_modules'));

    expect(installed.filter((name) => ENGINE_CLIENTS.test(name))).toEqual([]);
    expect(existsSync(join(consumer.folder, 'node_modules', 'nestjs-lifecycle', 'lib'))).toBe(false);
  });

  it.each(['nodenext', 'node20'] as const)(
    'compiles against the declarations with module %s, boots, is healthy, and ends by itself',
    (module) => {
      expect(consumer.compile(module)).toEqual({ status: 0, stdout: '', stderr: '' });

      const { status, stdout, stderr } = consumer.node(join(`out-${module}`, 'main.js'));

      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({
        status: 200,
        body: expect.objectContaining({
          status: 'ok',
          details: expect.objectContaining({ 'component:FeedComponent': expect.objectContaining({ status: 'up' }) }),
        }),
      });
    },
    120_000,
  );
});
