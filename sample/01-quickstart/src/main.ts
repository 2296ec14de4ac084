import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { hints } from './demo/hints.js';

const port = Number(process.env.PORT ?? 3000);
const app = await NestFactory.create(AppModule);
// Without it SIGTERM would kill the components instead of stopping them.
app.enableShutdownHooks();
await app.listen(port);
console.log(hints(`http://localhost:${port}`));
