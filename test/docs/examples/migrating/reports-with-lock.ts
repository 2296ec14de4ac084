// reports-with-lock.ts
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { Mailer } from './mailer.js';

@Injectable()
export class ReportsWithLock {
  constructor(
    private readonly redis: Redis,
    private readonly mailer: Mailer,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async send(): Promise<void> {
    const won = await this.redis.set('lock:reports', randomUUID(), 'PX', 60_000, 'NX');
    if (won !== 'OK') return;
    await this.mailer.send('reports');
  }
}
