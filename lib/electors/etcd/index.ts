export { EtcdElector } from './etcd-elector.js';
export type { EtcdElectorOptions } from './etcd-elector-options.js';
export type { EtcdTls } from './etcd-tls.js';
