import { BY_SESSION } from './access.js';
import { contractOf } from './contract-of.js';

contractOf(BY_SESSION);
