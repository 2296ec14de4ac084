import { EngineRefusalError } from '../../core/errors.js';

/** A kubeconfig, as far as it is used. */
export interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { readonly name: string; readonly context?: KubeconfigContext }[];
  readonly clusters?: readonly { readonly name: string; readonly cluster?: KubeconfigCluster }[];
  readonly users?: readonly { readonly name: string; readonly user?: KubeconfigUser }[];
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

export interface KubeconfigCluster {
  readonly server?: string;
  readonly 'certificate-authority'?: string;
  readonly 'certificate-authority-data'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'tls-server-name'?: string;
  readonly 'proxy-url'?: string;
}

export interface KubeconfigUser {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-certificate-data'?: string;
  readonly 'client-key'?: string;
  readonly 'client-key-data'?: string;
  readonly exec?: KubeconfigExec;
  readonly 'auth-provider'?: object;
}

/** A program that prints credentials. */
export interface KubeconfigExec {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
}

/** What a context names. */
export interface ChosenContext {
  readonly context: KubeconfigContext;
  readonly cluster: KubeconfigCluster & { readonly server: string };
  readonly user: KubeconfigUser;
}

/** @throws EngineRefusalError that says what is missing */
export function chosenContext(config: Kubeconfig, where: string, name = config['current-context']): ChosenContext {
  if (!name) throw refused(where, 'it has no current-context', 'Set one, or name one by the option "context"');
  const { context } = named(config.contexts, name) ?? {};
  if (!context) throw refused(where, `it has no context "${name}"`, 'Correct the name');
  const { cluster } = named(config.clusters, context.cluster) ?? {};
  const { server } = cluster ?? {};
  if (!server) throw refused(where, `the cluster of context "${name}" has no server`, 'Correct the context');
  const { user } = named(config.users, context.user) ?? {};
  return { context, cluster: { ...cluster, server }, user: user ?? {} };
}

export function refused(where: string, what: string, remedy: string, cause?: unknown): EngineRefusalError {
  return new EngineRefusalError(`The kubeconfig ${where} cannot be used: ${what}. ${remedy}.`, { cause });
}

function named<T extends { readonly name: string }>(list: readonly T[] = [], name?: string): T | undefined {
  return list.find((it) => it.name === name);
}
