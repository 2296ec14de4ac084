'use strict';

const { existsSync } = require('node:fs');
const path = require('node:path');
const resolve = require('../resolver.cjs');

const PACKAGE = /^(?:@[^/]+\/)?[^./@][^/]*/;

/** Sources and tests get each package that this folder has installed from here: the whole set of Nest 11, or none of it. */
module.exports = (request, options) => {
  const name = PACKAGE.exec(request)?.[0];
  const isOurs = name !== undefined && existsSync(path.join(__dirname, 'node_modules', name));
  const basedir = isOurs && !resolve.fromNodeModules(options) ? __dirname : options.basedir;
  return resolve(request, { ...options, basedir });
};
