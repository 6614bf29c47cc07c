import { Controller, Get, Injectable, type INestApplication } from '@nestjs/common';
import { ApiOperation, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import { WeftError } from '@weft/kernel';
import { HealthService } from '@weft/observability';
import { Public } from '../auth/requires.js';
import { describeApi } from './openapi.js';
import { Answers, freeObject } from './schema.js';

/** Caches the document. It is made at the first request, because all routes are known then and the start is not delayed. */
@Injectable()
export class OpenApiSource {
  private document?: OpenAPIObject;
  private describe?: () => OpenAPIObject;

  /** Called once, by `offerOpenApi`. */
  use(describe: () => OpenAPIObject): void {
    this.describe = describe;
  }

  get(): OpenAPIObject {
    if (!this.describe) throw new WeftError('not_found', 'This process does not describe its operations.');
    return (this.document ??= this.describe());
  }
}

@ApiTags('Health and description')
@Controller()
export class OpenApiController {
  constructor(private readonly source: OpenApiSource) {}

  @Get('api/openapi.json')
  @Public()
  @ApiOperation({ summary: 'Read this document' })
  @Answers(200, freeObject, 'OpenAPI 3.1.')
  read(): OpenAPIObject {
    return this.source.get();
  }
}

/** Lets an application describe its operations. The process that composes it calls this before it listens. */
export function offerOpenApi(app: INestApplication): void {
  const { version } = app.get(HealthService).report();
  app.get(OpenApiSource, { strict: false }).use(() => describeApi(app, version));
}
