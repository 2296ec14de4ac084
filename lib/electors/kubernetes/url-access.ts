import { readFile } from 'node:fs/promises';
import { errorText } from '../../core/error-text.js';
import { EngineRefusalError } from '../../core/errors.js';
import type { ClusterAccess, LoadAccess } from './cluster-access.js';
import { bearer } from './in-cluster.js';

export interface UrlSource {
  readonly url: string;
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

/** As whoever the token in a file says; nobody in particular without one. */
export function urlAccess({ url, tokenFile, caFile }: UrlSource): LoadAccess {
  return async () =>
    ({
      url: url.replace(/\/+$/, ''),
      headers: tokenFile === undefined ? {} : bearer(await fileText('tokenFile', tokenFile)),
      tls: caFile === undefined ? {} : { ca: await fileText('caFile', caFile) },
    }) satisfies ClusterAccess;
}

async function fileText(option: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new EngineRefusalError(
      `${option} of KubernetesElector cannot be read: ${errorText(error)}. Correct the path.`,
      {
        cause: error,
      },
    );
  }
}
