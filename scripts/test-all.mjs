import { npm } from './npm.mjs';

/** Everything, with nothing skipped. */
const env = { ...process.env, REQUIRE_ENGINES: '1' };
for (const script of ['engines', 'test', 'test:package']) {
  const { status } = npm(['run', '--silent', script], { env });
  if (status !== 0) process.exit(status ?? 1);
}
