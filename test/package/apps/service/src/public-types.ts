// Compiled, never run: each entry of the package, as its users import it.
export type { Component, ComponentInfo, Elector, LeadershipTerm, StartContext } from 'nestjs-lifecycle';
export { Leadership, LifecycleComponent, LifecycleModule, Registry } from 'nestjs-lifecycle';
export * as testing from 'nestjs-lifecycle/testing';
export * as memory from 'nestjs-lifecycle/electors/memory';
export * as standalone from 'nestjs-lifecycle/electors/standalone';
