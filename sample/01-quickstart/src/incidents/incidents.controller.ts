import { Controller, Get } from '@nestjs/common';
import { IncidentLog, type Incident } from './incident-log.js';

@Controller('incidents')
export class IncidentsController {
  constructor(private readonly incidents: IncidentLog) {}

  @Get()
  list(): readonly Incident[] {
    return this.incidents.list();
  }
}
