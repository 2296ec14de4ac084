import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LifecycleModule } from 'nestjs-lifecycle';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { Archive } from './archive.js';
import { Reminders } from './reminders.js';

/** Copies of the service on one host compete; two services do not. */
const namespace = process.env.NAMESPACE ?? 'cron-sample';

@Module({
  imports: [
    ScheduleModule.forRoot(),
    // On several hosts: an elector on an engine that all of them reach. Nothing else changes.
    LifecycleModule.forRoot({ elector: new LocalElector({ namespace }), health: { endpoints: false } }),
  ],
  providers: [Reminders, Archive],
})
export class AppModule {}
