import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, setup } from './setup.mjs';
import { buildLib, buildSamples } from './build.mjs';

/**
 * npm passes a SIGTERM to its shell, and the shell dies of it without a word to this process, which would run on
 * unattended. So it takes the end of its parent for the signal.
 */
function stopWith(parent) {
  const watch = () => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  };
  const timer = setInterval(watch, 200).unref();
}

const parent = process.ppid;
// What follows the name of the sample is for the sample.
const [sample = '01-quickstart'] = process.argv.splice(2, 1);
setup('.');
console.log('Building the library and the sample, some seconds ...');
buildLib();
buildSamples();
if (process.env.npm_lifecycle_event !== undefined) stopWith(parent);

// In this process, so that the sample itself gets the signals and its exit code is the command's.
await import(pathToFileURL(join(ROOT, 'dist-sample', sample, 'src', 'main.js')).href);
