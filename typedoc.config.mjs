import { readFileSync } from 'node:fs';
import { OptionDefaults } from 'typedoc';

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

// What users can import, patterns included: an entry that is added to the package needs no line here.
const entryPoints = Object.values(exports)
  .filter(({ types }) => types !== undefined)
  .map(({ types }) => types.replace('./dist/', 'lib/').replace(/\.d\.ts$/, '.ts'));

/** The API reference, which `npm run docs:api` writes. */
export default {
  name: 'nestjs-lifecycle',
  includeVersion: true,
  // Links into a repository need a remote, which a checkout may not have.
  disableSources: true,
  entryPoints,
  tsconfig: 'tsconfig.build.json',
  out: '.cache/api-reference',
  readme: 'none',
  excludeInternal: true,
  excludePrivate: true,
  // Nobody is meant to extend the classes of the package.
  excludeProtected: true,
  validation: { notExported: true, invalidLink: true, invalidPath: true, rewrittenLink: true },
  modifierTags: [...OptionDefaults.modifierTags, '@publicApi'],
  // All that is in it is public.
  excludeTags: [...OptionDefaults.excludeTags, '@publicApi'],
  // Nobody has to name these: users meet them as an object, a class or a callback that fits.
  intentionallyNotExported: [
    'lib/decorators/lifecycle-component.decorator.ts:StartableClass',
    'lib/electors/mysql/mysql-client.ts:Statement',
    'lib/leadership/leadership-options.ts:LeadershipObserver',
  ],
  treatWarningsAsErrors: true,
};
