import { ManagementPathError } from '../core/errors.js';
import type { ManagementRoute } from './management-route.js';

/** Which route answers for which path. Paths are compared as they are: nothing is decoded, no case or slash is forgiven. */
export class RouteTable {
  readonly #exact = new Map<string, ManagementRoute>();

  /** @throws ManagementPathError when two routes want one path */
  constructor(routes: readonly ManagementRoute[]) {
    for (const route of routes) {
      const taken = routes.find((it) => it !== route && covers(it, route));
      if (taken !== undefined) throw new ManagementPathError(`/${route.path}`, taken.owner, route.owner);
      this.#exact.set(route.path, route);
    }
  }

  /** Paths in order of registration. */
  get paths(): string[] {
    return [...this.#exact.keys()].map((path) => `/${path}`);
  }

  /** @param url as it stands in the request line */
  find(url: string): ManagementRoute | undefined {
    const [path = ''] = url.split('?', 1);
    if (!path.startsWith('/')) return undefined;
    const exact = this.#exact.get(path.slice(1));
    if (exact !== undefined) return exact;
    return [...this.#exact.values()].find((it) => it.hasSubtree && path.startsWith(`/${it.path}/`));
  }
}

function covers(one: ManagementRoute, other: ManagementRoute): boolean {
  return one.path === other.path || (one.hasSubtree && other.path.startsWith(`${one.path}/`));
}
