import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { sep } from 'node:path';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import { expect, it } from '@jest/globals';

declare const NEST_MAJOR: 11 | 12;

let injectorStack = '';

@Controller()
class HelloController {
  constructor() {
    injectorStack = new Error('stack').stack ?? '';
  }

  @Get()
  hello(): string {
    return 'hello';
  }
}

@Module({ controllers: [HelloController] })
class HelloModule {}

it('resolves every peer to the major that its project names', () => {
  const require = createRequire(import.meta.url);
  const major = (name: string): number =>
    Number.parseInt((require(`${name}/package.json`) as { version: string }).version, 10);

  expect(major('@nestjs/core')).toBe(NEST_MAJOR);
  expect(major('@nestjs/common')).toBe(NEST_MAJOR);
  expect(major('@nestjs/terminus')).toBe(NEST_MAJOR);
  expect(major('@nestjs/event-emitter')).toBe(NEST_MAJOR === 11 ? 3 : 12);
});

it.each([
  ['express', () => new ExpressAdapter()],
  ['fastify', () => new FastifyAdapter()],
])('runs the injector of that major, on %s', async (_name, createAdapter) => {
  const app = await NestFactory.create(HelloModule, createAdapter(), { logger: false });
  try {
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`);

    await expect(response.text()).resolves.toBe('hello');
    const nest11 = ['test', 'nest11', 'node_modules', '@nestjs', 'core'].join(sep);
    expect(injectorStack.includes(nest11)).toBe(NEST_MAJOR === 11);
    expect(injectorStack).toContain(['node_modules', '@nestjs', 'core'].join(sep));
  } finally {
    await app.close();
  }
});
