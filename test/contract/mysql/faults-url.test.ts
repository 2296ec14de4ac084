import { BY_URL } from './access.js';
import { faultsOf } from './faults-of.js';

faultsOf(BY_URL);
