import { spawnSync } from 'node:child_process';
import { ENGINES, missingEngines } from './engine-binaries.mjs';

/**
 * Run as root. Services are not to be started: tests start their own servers, and a machine may have its own on the
 * standard ports. Where there is a policy for services already, it is left as it is.
 */
const INSTALL = `
  export DEBIAN_FRONTEND=noninteractive
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' INT TERM HUP
    printf '#!/bin/sh\\nexit 101\\n' > "$policy"
    chmod 755 "$policy"
  fi
  apt-get update -qq || echo 'apt-get update failed; trying with what is known' >&2
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
`;

const names = (engines) => engines.map(({ name }) => name).join(', ');

function fail(reason, missing) {
  console.error(
    `${reason}\nInstall ${names(missing)} by hand, and put these programs on the PATH: ` +
      `${missing.flatMap(({ binaries }) => binaries).join(', ')}. npm test runs all that needs none of them.`,
  );
  process.exit(1);
}

function isThere(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Debian's and Ubuntu's packages of what is missing. */
function install(missing) {
  if (!isThere('apt-get', '--version')) fail('There is no apt-get on this machine.', missing);
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !isThere('sudo', '-n', 'true')) fail('apt-get needs root, or sudo without a password.', missing);
  console.log(`Installing ${names(missing)} with apt-get`);
  const command = ['sh', '-ec', INSTALL, 'install', ...missing.map((engine) => engine.package)];
  const [program, ...args] = isRoot ? command : ['sudo', '-n', ...command];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) fail(`apt-get failed:\n${stdout}\n${stderr}`, missing);
}

const missing = missingEngines();
if (missing.length > 0) install(missing);
const stillMissing = missingEngines();
if (stillMissing.length > 0) fail(`${names(stillMissing)}: installed, and not found.`, stillMissing);
console.log(`Engines: ${names(ENGINES)}`);
