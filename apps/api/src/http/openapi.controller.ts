import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiExcludeEndpoint, type OpenAPIObject } from '@nestjs/swagger';
import { WeftError } from '@weft/kernel';
import { Public } from '../auth/requires.js';

/** Holds the description; made at the first request, because only then all routes are known and nobody waits at boot. */
@Injectable()
export class OpenApiSource {
  private document?: OpenAPIObject;
  private describe?: () => OpenAPIObject;

  /** Called once by the process, with the application that it started. */
  use(describe: () => OpenAPIObject): void {
    this.describe = describe;
  }

  get(): OpenAPIObject {
    if (!this.describe) throw new WeftError('not_found', 'This process does not describe its operations.');
    return (this.document ??= this.describe());
  }
}

@Controller()
export class OpenApiController {
  constructor(private readonly source: OpenApiSource) {}

  @Get('api/openapi.json')
  @Public()
  @ApiExcludeEndpoint()
  read(): OpenAPIObject {
    return this.source.get();
  }
}
