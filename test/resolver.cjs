'use strict';

const { sep } = require('node:path');

const fromNodeModules = (options) => options.basedir.includes(`${sep}node_modules`);

/**
 * TypeScript sources import `./file.js`, which is there as `./file.ts` only. A `moduleNameMapper` that strips the suffix
 * would do so inside node_modules as well, and pick up sources that packages ship beside their builds.
 */
module.exports = (request, options) => {
  const isSourceImport = /^\.{1,2}\/.*\.js$/.test(request) && !fromNodeModules(options);
  if (!isSourceImport) return options.defaultResolver(request, options);
  try {
    return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
  } catch {
    return options.defaultResolver(request, options);
  }
};
module.exports.fromNodeModules = fromNodeModules;
