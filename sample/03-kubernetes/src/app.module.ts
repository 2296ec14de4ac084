import { Module } from '@nestjs/common';
import { LifecycleModule } from 'nestjs-lifecycle';
import { readEnvironment } from './environment.js';
import { InvoiceRun } from './invoices/invoice-run.js';
import { InvoiceTable } from './invoices/invoice-table.js';
import { lifecycleOptions } from './lifecycle.js';
import { OrderConsumer } from './orders/order-consumer.js';
import { OrderQueue } from './orders/order-queue.js';

@Module({
  imports: [LifecycleModule.forRootAsync({ useFactory: () => lifecycleOptions(readEnvironment(process.env)) })],
  providers: [OrderQueue, OrderConsumer, InvoiceTable, InvoiceRun],
})
export class AppModule {}
