// One app under load by health.mjs: node health-server.mjs <lifecycle|plain> <components> [hang|observed]
import 'reflect-metadata';
import { Controller, Get, Inject, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthCheck, HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { LifecycleComponent, LifecycleModule } from '../dist/index.js';
import { observersOf } from './observers.mjs';

const [variant, count, mode] = process.argv.slice(2);
const observers = mode === 'observed' ? await observersOf('prometheus,traces') : [];

/** The check that both variants await. */
const check = () => new Promise((resolve) => setImmediate(resolve));
const hangs = () => new Promise(() => undefined);

const apps = { lifecycle: lifecycleApp, plain: plainApp };

function lifecycleApp(size) {
  const providers = Array.from({ length: size }, (_, index) => {
    class Checked {
      name = `component-${index}`;
      start({ signal }) {
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      }
      healthCheck() {
        return mode === 'hang' && index === 0 ? hangs() : check();
      }
    }
    LifecycleComponent()(Checked);
    Injectable()(Checked);
    return Checked;
  });
  class App {}
  Module({ imports: [LifecycleModule.forRoot({ health: { timeoutMs: 500 }, observers })], providers })(App);
  return App;
}

function plainApp(size) {
  class HealthController {
    constructor(health, indicators) {
      this.health = health;
      this.checks = Array.from({ length: size }, (_, index) => async () => {
        await check();
        return indicators.check(`component-${index}`).up();
      });
    }
    check() {
      return this.health.check(this.checks);
    }
  }
  Inject(HealthCheckService)(HealthController, undefined, 0);
  Inject(HealthIndicatorService)(HealthController, undefined, 1);
  const descriptor = Object.getOwnPropertyDescriptor(HealthController.prototype, 'check');
  HealthCheck()(HealthController.prototype, 'check', descriptor);
  Get()(HealthController.prototype, 'check', descriptor);
  Controller('health')(HealthController);
  class App {}
  Module({ imports: [TerminusModule], controllers: [HealthController] })(App);
  return App;
}

const app = await NestFactory.create(apps[variant](Number(count)), { logger: ['error'] });
// Connections idle while the other apps have their turn.
app.getHttpServer().keepAliveTimeout = 0;
await app.listen(0, '127.0.0.1');
process.send({ port: app.getHttpServer().address().port });
process.once('disconnect', () => process.exit());
