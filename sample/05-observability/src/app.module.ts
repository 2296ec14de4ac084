import { Module } from '@nestjs/common';
import { LifecycleModule } from 'nestjs-lifecycle';
import { LocalElector } from 'nestjs-lifecycle/electors/local';
import { PrometheusMetrics } from 'nestjs-lifecycle/metrics/prometheus';
import { OrderPoller } from './order-poller.js';
import { PriceImport } from './price-import.js';

/** Copies of the service on one host compete; two services do not. */
const namespace = process.env.NAMESPACE ?? 'observability-sample';

@Module({
  imports: [
    LifecycleModule.forRoot({
      elector: new LocalElector({ namespace }),
      observers: [new PrometheusMetrics()],
      statusPage: { path: 'lifecycle' },
      // The texts of errors are in the log and, for those who may see it, on the status page.
      health: { port: Number(process.env.PORT ?? 9090), intervalMs: 1000, errorDetails: false },
    }),
  ],
  providers: [OrderPoller, PriceImport],
})
export class AppModule {}
