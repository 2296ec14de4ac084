import { BY_POOL } from './access.js';
import { faultsOf } from './faults-of.js';

faultsOf(BY_POOL);
