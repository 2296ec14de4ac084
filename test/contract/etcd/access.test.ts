import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { EtcdTls } from 'nestjs-lifecycle/electors/etcd';
import { EngineRefusalError } from '../../../lib/core/errors.js';
import { Stage } from '../../../lib/testing/contract/stage.js';
import { TestAuthority, type Certificate } from '../../fixtures/engines/etcd-certificates.js';
import { EtcdServer, rangeOf } from '../../fixtures/engines/etcd-server.js';
import { describeEngine } from '../../fixtures/engines/engine-binaries.js';
import { EtcdArena } from './etcd-arena.js';
import { KEY_PREFIX, soon, StoreRig, type StoreOptions } from './store-rig.js';

const app = { username: 'app', password: 'secret' };

async function refusal(rig: StoreRig, options: StoreOptions): Promise<string> {
  const error: unknown = await rig.read(rig.open(options)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EngineRefusalError);
  return String(error);
}

describeEngine('An etcd that asks for', ['etcd'], () => {
  describe('a user', () => {
    let server: EtcdServer;
    let rig: StoreRig;

    const asRoot = async () => {
      const { token } = await server.call('/v3/auth/authenticate', { name: 'root', password: 'root' });
      return { authorization: String(token) };
    };

    beforeAll(async () => {
      server = await EtcdServer.start();
      rig = new StoreRig([server.url]);
      for (const name of ['root', 'app', 'guest']) {
        await server.call('/v3/auth/user/add', { name, password: name === 'app' ? 'secret' : name });
        await server.call('/v3/auth/role/add', { name });
        await server.call('/v3/auth/user/grant', { user: name, role: name });
      }
      for (const prefix of [KEY_PREFIX, 'nestjs-lifecycle/']) {
        const perm = { permType: 'READWRITE', ...rangeOf(prefix) };
        await server.call('/v3/auth/role/grant', { name: 'app', perm });
      }
      await server.call('/v3/auth/enable');
    });

    afterAll(async () => {
      await rig.close();
      await server.stop();
    });

    test('is refused to those who have none, or a wrong password, or too few rights, with what to do', async () => {
      expect(await refusal(rig, {})).toMatch(/user name is empty.*Pass "username" and "password"/);
      const wrong = { username: 'app', password: 'wrong' };
      expect(await refusal(rig, { credentials: wrong })).toMatch(/authentication failed.*Correct "username"/);
      const guest = { username: 'guest', password: 'guest' };
      expect(await refusal(rig, { credentials: guest })).toMatch(/permission denied.*Grant the role.*readwrite/);
    });

    test('says so in its diagnosis', async () => {
      const store = rig.open({ credentials: { username: 'guest', password: 'guest' } });
      const findings = await store.diagnose();
      expect(findings.find(({ level }) => level === 'error')?.summary).toMatch(/permission denied.*Grant the role/);
    });

    test('refuses the watch of a user without rights as it refuses the read', async () => {
      const store = rig.open({ credentials: { username: 'guest', password: 'guest' } });
      await expect(store.watch('default', () => undefined, soon())).rejects.toThrow(EngineRefusalError);
    });

    test('forgets the token of a user whose password is set anew, and gives out another', async () => {
      const store = rig.open({ credentials: app });
      const lease = await rig.take(store, rig.holder('a'));
      await server.call('/v3/auth/user/changepw', { name: 'app', password: 'secret' }, await asRoot());

      expect(await store.renew(lease, soon())).toMatchObject({ renewed: true });
      await store.release({ ...lease }, soon());
      expect(await rig.read(store)).toMatchObject({ kind: 'released', token: lease.token });
    });

    test('forgets all tokens in a restart, which ends no campaign', () =>
      Stage.play({ open: () => EtcdArena.open(server, app) }, async (stage) => {
        await stage.leading();
        stage.stand();

        await server.kill();
        await stage.until(() => stage.leaders().length === 0);
        await server.restartAs(async () => (await asRoot()).authorization !== '');
        await stage.until(() => stage.leaders().length === 1);

        const [leader] = stage.leaders();
        if (leader !== undefined) await stage.end(leader);
        await stage.until(() => stage.leaders().length === 1);
      }));
  });

  describe('TLS', () => {
    let authority: TestAuthority;
    let client: Certificate;
    let server: EtcdServer;
    let rig: StoreRig;

    beforeAll(async () => {
      authority = new TestAuthority();
      client = authority.sign('client', 'DNS:client.test');
      const tls = { ...authority.sign('server', 'IP:127.0.0.1,DNS:etcd.test'), ca: authority.cert };
      server = await EtcdServer.start({ tls });
      rig = new StoreRig([server.url]);
    });

    afterAll(async () => {
      await rig.close();
      await server.stop();
      authority.remove();
    });

    const tlsOf = (more: Partial<EtcdTls> = {}): EtcdTls => ({
      ca: authority.pem,
      cert: readFileSync(client.cert),
      key: readFileSync(client.key),
      ...more,
    });

    test('is refused to those who do not trust it, or are not trusted, or call it by another name', async () => {
      const { ca: _ca, ...untrusting } = tlsOf();
      expect(await refusal(rig, { tls: untrusting })).toMatch(/Correct "endpoints" and "tls"/);
      expect(await refusal(rig, { tls: tlsOf({ servername: 'other.test' }) })).toMatch(/other\.test.*"tls"/);
      expect(await refusal(rig, { tls: { ca: authority.pem } })).toMatch(/certificate.*Correct "endpoints" and "tls"/);
    });

    test('hands the lead over to those who have what it takes', () =>
      Stage.play({ open: () => EtcdArena.open(server, { tls: tlsOf({ servername: 'etcd.test' }) }) }, async (stage) => {
        const leader = await stage.leading({ identity: 'a' });
        const follower = stage.stand({ identity: 'b' });
        await stage.until(() => follower.candidate.observed.at(-1) === 'a');

        await stage.end(leader);
        await stage.until(() => follower.leads);
      }));

    test('ends the term of a leader that is cut off, before another leads', () =>
      Stage.play({ open: () => EtcdArena.open(server, { tls: tlsOf() }) }, async (stage) => {
        const leader = await stage.leading({ identity: 'a' });
        const follower = stage.stand({ identity: 'b' });
        await stage.until(() => follower.candidate.observed.at(-1) === 'a');

        await stage.disconnect(leader.elector);
        await stage.until(() => follower.leads);

        expect(leader.leads).toBe(false);
      }));
  });
});
