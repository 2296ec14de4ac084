import { Module } from '@nestjs/common';
import { LifecycleModule } from 'nestjs-lifecycle';
import { FeedComponent } from './feed.component.js';

@Module({ imports: [LifecycleModule.forRoot()], providers: [FeedComponent] })
export class AppModule {}
