import { BY_POOL } from './access.js';
import { contractOf } from './contract-of.js';

contractOf(BY_POOL);
