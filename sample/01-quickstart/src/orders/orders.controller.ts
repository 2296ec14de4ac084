import { Controller, Get } from '@nestjs/common';
import { OrderStore, type Totals } from './order-store.js';

@Controller('orders')
export class OrdersController {
  constructor(private readonly store: OrderStore) {}

  @Get()
  totals(): Totals {
    return this.store.totals();
  }
}
