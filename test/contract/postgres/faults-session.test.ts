import { BY_SESSION } from './access.js';
import { faultsOf } from './faults-of.js';

faultsOf(BY_SESSION);
