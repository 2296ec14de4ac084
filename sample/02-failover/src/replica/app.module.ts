import { Module, type DynamicModule } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { LifecycleModule } from 'nestjs-lifecycle';
import { createElector, type ElectorChoice } from './elector.js';
import { InvoiceRun } from './invoice-run.js';
import { tellDemo } from './message.js';
import { OrderFeed } from './order-feed.js';
import { StateReporter } from './state-reporter.js';

const complain = (text: string) => tellDemo({ kind: 'complaint', text });

@Module({})
export class AppModule {
  static async forReplica(identity: string, choice: ElectorChoice): Promise<DynamicModule> {
    const elector = await createElector(choice);
    return {
      module: AppModule,
      imports: [
        EventEmitterModule.forRoot(),
        LifecycleModule.forRoot({
          elector,
          identity,
          health: { endpoints: false },
          logger: { log: () => undefined, warn: complain, error: complain },
        }),
      ],
      providers: [OrderFeed, InvoiceRun, StateReporter],
    };
  }
}
