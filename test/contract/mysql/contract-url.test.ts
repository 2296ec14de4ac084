import { BY_URL } from './access.js';
import { contractOf } from './contract-of.js';

contractOf(BY_URL);
