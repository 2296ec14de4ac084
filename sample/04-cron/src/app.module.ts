import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { LifecycleModule } from 'nestjs-lifecycle';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { Archive } from './archive.js';
import { Reminders } from './reminders.js';

@Module({
  imports: [
    ScheduleModule.forRoot(),
    // On several hosts: an elector on an engine that all of them reach. Nothing else changes.
    LifecycleModule.forRoot({ elector: new LocalElector({ namespace: 'cron-sample' }), health: { endpoints: false } }),
  ],
  providers: [Reminders, Archive],
})
export class AppModule {}
