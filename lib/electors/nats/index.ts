export { NatsElector } from './nats-elector.js';
export type { NatsElectorOptions } from './nats-elector-options.js';
export type { NatsClient, NatsMessage, NatsSubscription } from './nats-client.js';
