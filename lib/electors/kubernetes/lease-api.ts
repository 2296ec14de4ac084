import type { IncomingMessage } from 'node:http';
import { EngineRefusalError } from '../../core/errors.js';
import type { ApiClient, ApiVerb } from './api-client.js';
import { leaseObjectOf, type LeaseObject } from './lease-object.js';
import type { LeaseBody } from './lease-records.js';

export interface WatchFrom {
  /** Events after it; without one what is there now comes first. */
  readonly resourceVersion: string | undefined;
  readonly timeoutSeconds: number;
}

/** The few calls about one Lease, each with what it can be answered. */
export class LeaseApi {
  constructor(private readonly client: ApiClient) {}

  /** As the store of the cluster has it, never from a cache of the API server. */
  async get(name: string, signal: AbortSignal): Promise<LeaseObject | undefined> {
    const { status, body } = await this.client.call({ verb: 'get', name, expected: [200, 404] }, signal);
    return status === 404 && isAboutLease(body) ? undefined : leaseObjectOf('get', assertFound(status, body));
  }

  /** @returns undefined when there is one already */
  async create(body: LeaseBody, signal: AbortSignal): Promise<LeaseObject | undefined> {
    const answer = await this.client.call({ verb: 'create', body, expected: [201, 409] }, signal);
    return answer.status === 409 ? undefined : leaseObjectOf('create', answer.body);
  }

  /**
   * Replaces the version that the body names. Where the Lease is gone, the API may create what it was told to replace: then
   * nothing was replaced, and it is to be removed.
   *
   * @returns undefined when there is another version, or none
   */
  async update(
    name: string,
    body: LeaseBody,
    signal: AbortSignal,
  ): Promise<{ readonly lease: LeaseObject; readonly isNew: boolean } | undefined> {
    const answer = await this.client.call({ verb: 'update', name, body, expected: [200, 201, 404, 409] }, signal);
    if (answer.status === 409 || (answer.status === 404 && isAboutLease(answer.body))) return undefined;
    const lease = leaseObjectOf('update', assertFound(answer.status, answer.body));
    return { lease, isNew: answer.status === 201 };
  }

  /**
   * What was created by mistake, unless somebody has written to it since. Where that is not permitted it stays, as a lease
   * of somebody who does not lead: it runs out as any other.
   */
  async remove({ metadata }: LeaseObject, signal: AbortSignal): Promise<void> {
    const { name, uid, resourceVersion } = metadata;
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid, resourceVersion } };
    await this.client.call({ verb: 'delete', name, body, expected: [200, 202, 403, 404, 409] }, signal);
  }

  /** Whether this user may, as the server says; `undefined` where it does not. */
  async permits(verb: ApiVerb, name: string | undefined, signal: AbortSignal): Promise<boolean | undefined> {
    const attributes = { group: 'coordination.k8s.io', resource: 'leases', verb, ...(name !== undefined && { name }) };
    const { status, body } = await this.client.call(
      {
        verb: 'create',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { ...attributes, namespace: await this.client.namespace() } },
        },
        expected: [201, 403, 404],
      },
      signal,
    );
    const { allowed } = (body as { status?: { allowed?: unknown } }).status ?? {};
    return status === 201 && typeof allowed === 'boolean' ? allowed : undefined;
  }

  watch(name: string, { resourceVersion, timeoutSeconds }: WatchFrom, signal: AbortSignal): Promise<IncomingMessage> {
    const query = {
      watch: '1',
      fieldSelector: `metadata.name=${name}`,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(timeoutSeconds),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    return this.client.stream({ verb: 'watch', query, expected: [200] }, signal);
  }
}

/** A path that the server does not know is answered with 404 as well. */
function isAboutLease(body: unknown): boolean {
  const { details } = body as { details?: { kind?: unknown } };
  return details?.kind === 'leases';
}

function assertFound(status: number, body: unknown): unknown {
  if (status !== 404) return body;
  throw new EngineRefusalError(
    'The server does not know leases of coordination.k8s.io/v1. See that the URL is the one of an API server, of Kubernetes 1.14 or later.',
  );
}
