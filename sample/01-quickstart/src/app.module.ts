import { Module } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { LifecycleModule } from 'nestjs-lifecycle';
import { DemoController } from './demo/demo.controller.js';
import { IncidentLog } from './incidents/incident-log.js';
import { IncidentsController } from './incidents/incidents.controller.js';
import { OrderConsumer } from './orders/order-consumer.js';
import { OrderReconciler } from './orders/order-reconciler.js';
import { OrderStore } from './orders/order-store.js';
import { OrdersController } from './orders/orders.controller.js';
import { PaymentPoller } from './orders/payment-poller.js';
import { OrderBroker } from './outside/order-broker.js';
import { PaymentProvider } from './outside/payment-provider.js';

@Module({
  imports: [
    EventEmitterModule.forRoot(),
    // Short, so that whoever tries it out sees /health turn within seconds. No elector: this process leads by itself.
    LifecycleModule.forRoot({ health: { intervalMs: 1000 }, unhealthyThreshold: 10 }),
  ],
  controllers: [OrdersController, IncidentsController, DemoController],
  providers: [OrderBroker, PaymentProvider, OrderStore, OrderConsumer, PaymentPoller, OrderReconciler, IncidentLog],
})
export class AppModule {}
