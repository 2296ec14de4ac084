import { errorText } from '../../core/error-text.js';
import { EngineRefusalError, LifecycleError } from '../../core/errors.js';
import type { ApiAnswer, ApiCall } from './api-client.js';

/** An answer of the API server that is none to what was asked. Tried again. */
export class ApiStatusError extends LifecycleError {
  readonly code = 'ERR_LIFECYCLE_KUBERNETES_STATUS';

  constructor(
    readonly status: number,
    call: ApiCall,
    message: string,
  ) {
    super(`The Kubernetes API answered "${call.verb} leases" with status ${status}: ${message}`);
  }
}

/** What an answer without what was asked for means: a refusal where nothing but somebody's action will change it. */
export function errorOf(answer: ApiAnswer, call: ApiCall, namespace: string): LifecycleError {
  const said = messageOf(answer);
  const what = `Kubernetes refused "${call.verb} leases" in namespace "${namespace}"`;
  const refused = (remedy: string) => new EngineRefusalError(`${what}: ${said}. ${remedy}`);
  switch (answer.status) {
    case 401:
      return refused(
        'It does not accept the credentials, which have just been read anew. See the service account token, or the user of the kubeconfig.',
      );
    case 403:
      return refused(
        `Let this user ${call.verb} leases of the API group coordination.k8s.io there; docs/kubernetes.md has the Role that the elector needs.`,
      );
    case 404:
      return refused(`See that the namespace exists, and that the server serves coordination.k8s.io/v1.`);
    case 400:
    case 405:
    case 415:
    case 422:
      return refused('Something has changed the Lease or the request on its way: a webhook, a policy, a proxy.');
    default:
      return new ApiStatusError(answer.status, call, said);
  }
}

function messageOf({ body }: ApiAnswer): string {
  const { message } = (typeof body === 'object' && body !== null ? body : {}) as { message?: unknown };
  const text = typeof message === 'string' && message !== '' ? message : errorText(body);
  return text.slice(0, 500).replace(/\.+$/, '');
}
