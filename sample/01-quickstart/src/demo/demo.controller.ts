import { Controller, HttpCode, Post } from '@nestjs/common';
import { OrderBroker } from '../outside/order-broker.js';
import { PaymentProvider } from '../outside/payment-provider.js';

/** Breaks the world outside of the service; the components know nothing of it. */
@Controller('demo')
export class DemoController {
  constructor(
    private readonly broker: OrderBroker,
    private readonly payments: PaymentProvider,
  ) {}

  @Post('stall')
  @HttpCode(202)
  stall(): string {
    this.payments.hangOnce();
    return 'The payment provider does not answer any more. /health is 503 in about 4 seconds, and well again 10 later.\n';
  }

  @Post('fail')
  @HttpCode(202)
  fail(): string {
    this.broker.closeConnections();
    return 'The order broker closed the connection. /health is 503 at once, and well again in 5 to 10 seconds.\n';
  }
}
