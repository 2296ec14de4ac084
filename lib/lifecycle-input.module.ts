import { Module } from '@nestjs/common';

/**
 * Holds what the user provides for us to work with. A module of its own, since on Nest 11 the destroy hooks of one
 * module run side by side: an elector with such a hook would lose its connection before it has handed over.
 */
@Module({})
export class LifecycleInputModule {}
