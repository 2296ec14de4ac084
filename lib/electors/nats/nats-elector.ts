import { resolveLeaseElectorSettings } from '../../core/lease/lease-elector-settings.js';
import { LeaseElector } from '../../core/lease/lease-elector.js';
import { JetStream } from './jetstream.js';
import { LeaseBucket } from './lease-bucket.js';
import { NatsConnections } from './nats-connections.js';
import { resolveNatsOptions, type NatsElectorOptions } from './nats-elector-options.js';
import { NatsLeaseStore } from './nats-lease-store.js';

/**
 * Elects over a record in a JetStream key-value bucket: one replica leads, and the next one follows within milliseconds of
 * a release, or within about a lease of a crash. Connects at the first campaign, and creates the bucket if there is none;
 * `close()` ends the connection that it made.
 *
 * What it guarantees, and what the settings of bucket and server mean for that, is in docs/nats.md.
 *
 * @publicApi
 */
export class NatsElector extends LeaseElector {
  /** @throws InvalidOptionError */
  constructor(options: NatsElectorOptions) {
    const { namespace, ...settings } = resolveLeaseElectorSettings(options, 'NatsElector');
    const { source, bucket: name, replicas } = resolveNatsOptions(options);
    const { leaseMs, requestTimeoutMs } = settings.timing;
    const connections = new NatsConnections(source, requestTimeoutMs);
    const jetStream = new JetStream(connections);
    const bucket = new LeaseBucket(jetStream, { name, leaseMs, ...(replicas !== undefined && { replicas }) });
    super({ ...settings, store: new NatsLeaseStore({ jetStream, bucket, namespace, requestTimeoutMs }) });
  }
}
