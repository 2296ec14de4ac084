import { BY_PGBOUNCER } from './access.js';
import { contractOf } from './contract-of.js';

contractOf(BY_PGBOUNCER);
