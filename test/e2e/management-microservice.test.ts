import { Controller, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LifecycleComponent, LifecycleModule, type StartContext } from 'nestjs-lifecycle';
import { Apps, RecordingLogger, rootModule } from '../fixtures/apps.js';
import { ask, managementPort } from '../fixtures/management.js';
import { aborted } from '../fixtures/until.js';

declare const NEST_MAJOR: 11 | 12;

const apps = new Apps();
const HOST = '127.0.0.1';

@LifecycleComponent()
class Feed {
  async start({ signal }: StartContext): Promise<void> {
    await aborted(signal);
  }
}

/** Only the set of Nest 12 has the package. */
const inNest12 = NEST_MAJOR === 12 ? describe : describe.skip;

inNest12('a microservice on TCP with a management port', () => {
  const root = async () => {
    const { MessagePattern } = await import('@nestjs/microservices');
    @Controller()
    class Orders {
      handle(total: number): number {
        return total + 1;
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Orders.prototype, 'handle') as PropertyDescriptor;
    MessagePattern('add')(Orders.prototype, 'handle', descriptor);
    return {
      imports: [LifecycleModule.forRoot({ logger: new RecordingLogger(), health: { port: 0, host: HOST } })],
      controllers: [Orders],
      providers: [Feed],
    };
  };

  it('answers probes before it listens to messages, and until it is closed', async () => {
    const { Transport } = await import('@nestjs/microservices');
    const app: INestMicroservice = await NestFactory.createMicroservice(rootModule(await root()), {
      transport: Transport.TCP,
      options: { host: HOST, port: 0 },
      logger: false,
    });
    await app.init();
    const port = managementPort(app);
    for (const path of ['/health', '/health/live', '/health/ready', '/health/startup']) {
      expect((await ask(port, path)).status).toBe(200);
    }
    await app.listen();
    expect(managementPort(app)).toBe(port);
    await app.close();
    await expect(ask(port, '/health/live')).rejects.toThrow('ECONNREFUSED');
  });

  it('has one server beside an HTTP app, and both servers go on', async () => {
    const { Transport } = await import('@nestjs/microservices');
    const app = await apps.create(await root());
    app.connectMicroservice({ transport: Transport.TCP, options: { host: HOST, port: 0 } });
    await app.startAllMicroservices();
    await app.listen(0, HOST);
    const port = managementPort(app);
    expect((await ask(port, '/health')).status).toBe(200);
    await apps.close(app);
    await expect(ask(port, '/health')).rejects.toThrow('ECONNREFUSED');
  });
});
