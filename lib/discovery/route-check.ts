import { MetadataScanner, type ApplicationConfig, type DiscoveryService, type HttpAdapterHost } from '@nestjs/core';

type ControllerWrapper = ReturnType<DiscoveryService['getControllers']>[number];

/** Where Nest keeps what the decorators of a controller said. */
const PATH_METADATA = 'path';
const METHOD_METADATA = 'method';
const VERSION_METADATA = '__version__';

/** Nest's RequestMethod.GET and .ALL. */
const ANSWER_GET: readonly unknown[] = [0, 5];

/** Where an app has what it serves; paths without regard to slashes around them. */
export interface ServedPaths {
  readonly health: { readonly endpoints: boolean; readonly path: string; readonly port?: number };
  readonly statusPage?: { readonly path: string };
}

const OTHER_HEALTH_PATH =
  'Set health.path to another path, or health.endpoints to false and use LifecycleHealthIndicator in that controller.';

/**
 * Finds out at boot whether the health endpoints and the status page can be reached where people expect them.
 *
 * @internal
 */
export class RouteCheck {
  constructor(
    private readonly config: ApplicationConfig,
    private readonly discovery: DiscoveryService,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** What an operator should know, one sentence each; empty when all is well, and in an app without HTTP. */
  problems({ health, statusPage }: ServedPaths): string[] {
    // Nest leaves it empty without saying so in its types.
    const adapter = this.adapterHost.httpAdapter as HttpAdapterHost['httpAdapter'] | null | undefined;
    if (!adapter) return [];
    // Express asks routes in the order of their registration, Fastify asks exact ones first.
    const firstAnswers = adapter.getType() === 'express';
    const isElsewhere = health.port !== undefined;
    const problems: string[] = [];
    if (health.endpoints) {
      const endpoints = below(health.path, ['live', 'ready', 'startup']);
      // On another port nobody expects them here; where their routes were fixed before that was known, they answer 404.
      if (!isElsewhere) problems.push(...this.#prefixProblem(endpoints));
      problems.push(...this.#takenProblem(endpoints, firstAnswers, OTHER_HEALTH_PATH));
    }
    if (statusPage !== undefined && !isElsewhere) {
      const pages = below(statusPage.path, ['status', 'events']);
      problems.push(...this.#takenProblem(pages, firstAnswers, 'Set statusPage.path to another path.'));
    }
    return problems;
  }

  #prefixProblem(endpoints: readonly string[]): string[] {
    const prefix = trimSlashes(this.config.getGlobalPrefix());
    const moved = prefix === '' ? [] : endpoints.filter((it) => !this.#isExcludedFromPrefix(it));
    if (moved.length === 0) return [];
    return [
      `The global prefix moves ${moved.map((it) => `/${it}`).join(', ')} to ${moved.map((it) => `/${prefix}/${it}`).join(', ')}. ` +
        'Point the probes there, or exclude them: ' +
        `app.setGlobalPrefix('${prefix}', { exclude: [${endpoints.map((it) => `'${it}'`).join(', ')}] }).`,
    ];
  }

  #isExcludedFromPrefix(path: string): boolean {
    const excluded = this.config.getGlobalPrefixOptions().exclude ?? [];
    return excluded.some(
      ({ pathRegex, requestMethod }) => ANSWER_GET.includes(requestMethod) && pathRegex.test(`/${path}`),
    );
  }

  #takenProblem(endpoints: readonly string[], firstAnswers: boolean, remedy: string): string[] {
    const controllers = this.discovery.getControllers();
    const isOurs = ({ host }: ControllerWrapper) => host?.providers.has(RouteCheck) === true;
    const ourPlace = controllers.findIndex(isOurs);
    if (ourPlace < 0) return [];
    return controllers.flatMap((wrapper, place) => {
      if (isOurs(wrapper) || this.#isVersioned(wrapper)) return [];
      const takes = firstAnswers && place < ourPlace ? matchesPattern : isSamePath;
      const taken = endpoints.filter((endpoint) => routesOf(wrapper).some((route) => takes(route, endpoint)));
      if (taken.length === 0) return [];
      const name = `${wrapper.metatype?.name ?? 'a controller'} in ${wrapper.host?.name ?? 'an unknown module'}`;
      return [
        `${taken.map((it) => `GET /${it}`).join(', ')} may be answered by ${name}: of two routes, the first that was ` +
          `registered answers. ${remedy}`,
      ];
    });
  }

  /** A version sets its routes apart from ours, which have none. */
  #isVersioned({ metatype }: ControllerWrapper): boolean {
    const versioning = this.config.getVersioning();
    if (versioning === undefined || metatype === null) return false;
    const version: unknown = Reflect.getMetadata(VERSION_METADATA, metatype) ?? versioning.defaultVersion;
    return typeof version === 'string' || Array.isArray(version);
  }
}

/** Paths for which a controller answers GET, without the slashes around them. */
function routesOf({ metatype }: ControllerWrapper): string[] {
  const prototype: unknown = metatype?.prototype;
  if (metatype === null || typeof prototype !== 'object' || prototype === null) return [];
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler: unknown = (prototype as Record<string, unknown>)[name];
    if (typeof handler !== 'function') return [];
    if (!ANSWER_GET.includes(Reflect.getMetadata(METHOD_METADATA, handler))) return [];
    return pathsOf(metatype).flatMap((base) => pathsOf(handler).map((path) => trimSlashes(`${base}/${path}`)));
  });
}

function pathsOf(target: object): string[] {
  const path: unknown = Reflect.getMetadata(PATH_METADATA, target);
  return (Array.isArray(path) ? path : [path]).filter((it) => typeof it === 'string').map(trimSlashes);
}

function below(path: string, names: readonly string[]): string[] {
  const plain = trimSlashes(path);
  return [plain, ...names.map((name) => `${plain}/${name}`)];
}

function isSamePath(route: string, endpoint: string): boolean {
  return route === endpoint;
}

/** Segment by segment: `:name` is any one, a wildcard is all that follows. */
function matchesPattern(route: string, endpoint: string): boolean {
  const segments = route.split('/');
  const wanted = endpoint.split('/');
  const wildcard = segments.findIndex((segment) => /[*(]/.test(segment));
  const fixed = wildcard < 0 ? segments : segments.slice(0, wildcard);
  if (wildcard < 0 ? fixed.length !== wanted.length : fixed.length >= wanted.length) return false;
  return fixed.every((segment, index) => segment.startsWith(':') || segment === wanted[index]);
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+|\/+$/g, '');
}
