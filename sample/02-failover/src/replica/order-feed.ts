import { Injectable } from '@nestjs/common';
import { LifecycleComponent, untilAborted, type Component, type StartContext } from 'nestjs-lifecycle';

/** On every replica: takes orders in. */
@Injectable()
@LifecycleComponent()
export class OrderFeed implements Component {
  start({ signal }: StartContext): Promise<void> {
    return untilAborted(signal);
  }
}
