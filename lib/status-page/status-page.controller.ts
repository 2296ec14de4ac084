import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  Controller,
  Get,
  Inject,
  NotFoundException,
  Optional,
  Post,
  Req,
  Res,
  UseGuards,
  VERSION_NEUTRAL,
  type CanActivate,
  type Type,
} from '@nestjs/common';
import type { StatusPageOptions } from '../core/status-page-options.js';
import { serveStatus } from './serve-status.js';
import { StatusPage } from './status-page.js';

/** Of Express, which are Node's own with more to them, or of Fastify, which wraps them. */
type PlatformRequest = (IncomingMessage | { readonly raw: IncomingMessage }) & { readonly body?: unknown };
type PlatformResponse = ServerResponse | { readonly raw: ServerResponse; hijack(): void };

/**
 * A controller class that serves the status page behind its guards. Version-neutral. Answers 404 where no `StatusPage` is
 * provided, since something else serves it.
 *
 * @internal
 */
export function createStatusPageController({ path, guards, actions }: Required<StatusPageOptions>): Type<object> {
  class LifecycleStatusController {
    constructor(@Optional() @Inject(StatusPage) private readonly page: StatusPage | undefined) {}

    @Get()
    show(@Req() request: PlatformRequest, @Res() response: PlatformResponse): Promise<void> {
      return this.serve('', request, response);
    }

    @Get('status')
    status(@Req() request: PlatformRequest, @Res() response: PlatformResponse): Promise<void> {
      return this.serve('status', request, response);
    }

    @Get('events')
    events(@Req() request: PlatformRequest, @Res() response: PlatformResponse): Promise<void> {
      return this.serve('events', request, response);
    }

    protected serve(below: string, request: PlatformRequest, response: PlatformResponse): Promise<void> {
      if (!this.page) throw new NotFoundException();
      // Otherwise Fastify would answer as well.
      if ('hijack' in response) response.hijack();
      const [incoming, outgoing] = [
        'raw' in request ? request.raw : request,
        'raw' in response ? response.raw : response,
      ];
      return serveStatus(this.page, below, incoming, outgoing, request.body);
    }
  }
  class LifecycleStatusActionsController extends LifecycleStatusController {
    @Post('actions/step-down')
    stepDown(@Req() request: PlatformRequest, @Res() response: PlatformResponse): Promise<void> {
      return this.serve('actions/step-down', request, response);
    }

    @Post('actions/restart')
    restart(@Req() request: PlatformRequest, @Res() response: PlatformResponse): Promise<void> {
      return this.serve('actions/restart', request, response);
    }
  }
  const controller = actions ? LifecycleStatusActionsController : LifecycleStatusController;
  Controller({ path, version: VERSION_NEUTRAL })(controller);
  UseGuards(...(guards as readonly (CanActivate | Type<CanActivate>)[]))(controller);
  return controller;
}
