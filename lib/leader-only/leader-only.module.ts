import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LEADER_ONLY_CALLS } from './app-binding.js';
import { LeaderOnlyCalls } from './leader-only-calls.js';
import { LeaderOnlyExplorer } from './leader-only.explorer.js';

/**
 * What methods marked with `@LeaderOnly()` need of their app. Needs nothing of the app itself, so that every provider can
 * have such methods, also one that the elector or the module's options are made of.
 *
 * @internal
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: [LeaderOnlyCalls, { provide: LEADER_ONLY_CALLS, useExisting: LeaderOnlyCalls }, LeaderOnlyExplorer],
  exports: [LeaderOnlyCalls, LEADER_ONLY_CALLS],
})
export class LeaderOnlyModule {}
