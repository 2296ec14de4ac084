import { BY_ODD_POOL } from './access.js';
import { contractOf } from './contract-of.js';

/** What a server may be set to that gives statements another meaning, or other answers. */
const SQL_MODE =
  'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,EMPTY_STRING_IS_NULL,SIMULTANEOUS_ASSIGNMENT,NO_UNSIGNED_SUBTRACTION';

contractOf(BY_ODD_POOL, {
  'sql-mode': SQL_MODE,
  'default-time-zone': '-11:00',
  'transaction-isolation': 'SERIALIZABLE',
  'character-set-server': 'latin1',
});
