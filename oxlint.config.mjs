/**
 * What a folder of lib/ may import besides itself and `node:`. Data flows one way, top to bottom, and nothing imports a
 * root file. test/unit/house-rules.test.ts proves every row.
 */
const HOUSE = {
  core: [],
  decorators: ['core', '@nestjs/common', 'reflect-metadata'],
  discovery: ['core', 'decorators', '@nestjs/core'],
  registry: ['core'],
  leadership: ['core', 'registry'],
  'leader-only': ['core', 'decorators', 'leadership', '@nestjs/common', '@nestjs/core', 'rxjs'],
  events: ['core', '@nestjs/event-emitter'],
  health: ['core', 'registry', 'leadership'],
  watchdog: ['core'],
  'status-page': ['core', 'registry', 'leadership', '@nestjs/common'],
  metrics: ['core'],
  doctor: ['core'],
  terminus: ['core', 'registry', 'leadership', 'health', '@nestjs/common', '@nestjs/terminus'],
  management: ['core', 'terminus', '@nestjs/common', '@nestjs/core'],
  traces: ['core', '@opentelemetry/api'],
  testing: ['core', 'decorators', 'registry'],
  cli: ['core', 'electors'],
};

// Without decorators a type import can be demanded; where there is metadata to emit, oxlint's fix would break injection.
const WITHOUT_NEST = [
  'core',
  'registry',
  'leadership',
  'health',
  'watchdog',
  'doctor',
  'metrics',
  'testing',
  'electors',
  'traces',
];

const NODE = ['!node:*', '!node:*/**'];
// A path that goes up after it went down gets round every other pattern.
const DETOURS = ['./../**', '**/[!.]*/../**'];

const restrict = (group, message) => ({
  'no-restricted-imports': ['error', { patterns: [{ group: [...group, ...DETOURS], message }] }],
});

/** In each group the last pattern that matches decides: `!` allows. */
function folderRules([folder, imports]) {
  const message = `lib/${folder} may import: itself, node:${imports.map((it) => `, ${it}`).join('')} (oxlint.config.mjs).`;
  const isPackage = (name) => !(name in HOUSE) && name !== 'electors';
  const packages = imports.filter(isPackage).flatMap((it) => [`!${it}`, `!${it}/**`]);
  const neighbours = (up) => imports.filter((it) => !isPackage(it)).map((it) => `!${up}${it}/**`);
  const bare = ['**', ...NODE, ...packages, '!./**'];
  return [
    { files: [`lib/${folder}/*.ts`], rules: restrict([...bare, ...neighbours('../')], message) },
    {
      files: [`lib/${folder}/*/*.ts`],
      rules: restrict([...bare, '!../**', '../../**', ...neighbours('../../')], message),
    },
  ];
}

/** An elector may import its engine's client, which only its own users install. */
function electorRules() {
  const message =
    'An elector may import: itself, core, node:, its own client; never Nest or another elector (oxlint.config.mjs).';
  const bare = ['@nestjs/**', 'nestjs-lifecycle', 'nestjs-lifecycle/**'];
  return [
    { files: ['lib/electors/*/*.ts'], rules: restrict([...bare, '../**', '!../../core/**'], message) },
    { files: ['lib/electors/*/*/*.ts'], rules: restrict([...bare, '../../**', '!../../../core/**'], message) },
  ];
}

/** Exporters and the library of each, which only its own users install. */
const EXPORTERS = { 'metrics/opentelemetry': '@opentelemetry/api', 'metrics/prometheus': 'prom-client' };

/** It may import what its folder shares, and never another exporter. */
function exporterRules([folder, library]) {
  const message = `lib/${folder} may import: itself, files of the folder above, core, node:, ${library} (oxlint.config.mjs).`;
  const bare = ['**', ...NODE, `!${library}`, '!./**'];
  const files = (up) => [`!${up}*.js`, `${up}*/**`, `!../${up}core/**`];
  return [
    { files: [`lib/${folder}/*.ts`], rules: restrict([...bare, ...files('../')], message) },
    { files: [`lib/${folder}/*/*.ts`], rules: restrict([...bare, '!../**', '../../**', ...files('../../')], message) },
  ];
}

const optionsRule = {
  files: ['lib/lifecycle.options.ts'],
  rules: restrict(
    ['**', ...NODE, '!./core/**'],
    'lib/lifecycle.options.ts may import: core, node: (oxlint.config.mjs).',
  ),
};

export default {
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { node: true, es2023: true },
  ignorePatterns: ['**/node_modules', 'dist', 'dist-sample', 'coverage', '.cache', 'test/package/apps'],
  rules: {
    eqeqeq: 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'no-empty': 'error',
    'import/no-cycle': 'error',
    'node/no-path-concat': 'error',
    'unicorn/prefer-node-protocol': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    // What user code threw, or gave as the reason of an abort, is passed on as it is.
    'typescript/only-throw-error': ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
    'typescript/prefer-promise-reject-errors': ['error', { allowThrowingAny: true, allowThrowingUnknown: true }],
    'typescript/promise-function-async': 'off',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/switch-exhaustiveness-check': 'error',
    // Waiting one after the other is often the point here: stop order, renewals, retries.
    'no-await-in-loop': 'off',
    'import/no-unassigned-import': ['error', { allow: ['reflect-metadata'] }],
    'no-underscore-dangle': 'off',
    'promise/always-return': 'off',
    'promise/no-promise-in-callback': 'off',
    // A copy is iterated where the original may change meanwhile.
    'unicorn/no-useless-spread': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'typescript/consistent-return': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    // Nest modules are classes without members.
    'typescript/no-extraneous-class': 'off',
  },
  overrides: [
    { files: ['lib/**'], rules: { 'no-console': 'error', 'unicorn/no-process-exit': 'error' } },
    ...Object.entries(HOUSE).flatMap(folderRules),
    ...electorRules(),
    ...Object.entries(EXPORTERS).flatMap(exporterRules),
    optionsRule,
    {
      files: WITHOUT_NEST.map((folder) => `lib/${folder}/**`),
      rules: { 'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: true }] },
    },
    {
      files: ['test/**'],
      // Tests do what users might do: throw non-errors, hand out thenables, listen with async functions.
      rules: {
        'typescript/only-throw-error': 'off',
        'typescript/prefer-promise-reject-errors': 'off',
        'typescript/no-misused-promises': ['error', { checksVoidReturn: false }],
        'typescript/no-non-null-assertion': 'off',
        'typescript/unbound-method': 'off',
        'unicorn/no-thenable': 'off',
        'no-shadow': ['error', { allow: ['it'] }],
      },
    },
  ],
};
