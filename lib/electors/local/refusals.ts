import { EngineRefusalError } from '../../core/errors.js';

/** What the system does not let this process do, however often it asks. */
const REFUSALS = ['EACCES', 'EPERM', 'EROFS', 'ENOTSUP', 'EOPNOTSUPP', 'EAFNOSUPPORT', 'ENAMETOOLONG'];

/** The error, or a refusal if it is one. */
export function asRefusal(error: unknown): unknown {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  if (code === undefined || !REFUSALS.includes(code)) return error;
  return new EngineRefusalError(
    `The system does not let this process listen on the address of the election: ${message}. ` +
      'See what confines it (AppArmor, SELinux, a sandbox), or use another elector.',
    { cause: error },
  );
}
