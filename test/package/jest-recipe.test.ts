import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Consumer, ROOT, rangesOf } from './consumer.js';

const NEST_11 = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/event-emitter',
  '@nestjs/platform-express',
  '@nestjs/terminus',
  '@nestjs/testing',
  'reflect-metadata',
  'rxjs',
];
const TOOLS = ['jest', '@swc/core', '@swc/jest', '@types/jest', '@types/node', 'typescript'];

describe('a CommonJS Jest project on Nest 11, without experimental flags', () => {
  let consumer: Consumer;

  beforeAll(() => {
    consumer = new Consumer({
      app: 'jest-commonjs',
      type: 'commonjs',
      dependencies: {
        ...rangesOf('test/nest11/package.json', NEST_11),
        ...rangesOf('package.json', TOOLS),
        'ts-jest': '~29.4.15',
      },
    });
    const component = join('src', 'feed.component.ts');
    cpSync(join(ROOT, 'test', 'package', 'apps', 'service', component), join(consumer.folder, component));
  }, 300_000);

  afterAll(() => consumer.remove());

  it.each([
    ['@swc/jest', 'jest.config.js'],
    ['ts-jest', 'jest.ts-jest.config.js'],
  ])(
    'tests its component with %s',
    (_transform, config) => {
      const { status, stdout, stderr } = consumer.node(join('node_modules', 'jest', 'bin', 'jest.js'), '-c', config);

      expect({ status, output: stdout + stderr }).toEqual({
        status: 0,
        output: expect.stringMatching(/Tests: +\d+ passed, \d+ total/),
      });
    },
    120_000,
  );
});
