import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ApiDocsController } from '../pages/api-docs.controller.js';
import { BodyFaultGuard } from './body-fault.js';
import { DtoPipe } from './dto.pipe.js';
import { OpenApiController, OpenApiSource } from './openapi.controller.js';
import { ProblemFilter } from './problem.filter.js';

/**
 * What holds for every route of the API. Import it before every other module: the filter that was registered last is asked
 * first, and this one takes what all others leave.
 */
@Module({
  controllers: [ApiDocsController, OpenApiController],
  providers: [
    OpenApiSource,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: DtoPipe },
  ],
})
export class HttpModule {}

/** Import it after `AuthModule`: guards run in the order of their modules, and who is asking comes before what was sent. */
@Module({ providers: [{ provide: APP_GUARD, useClass: BodyFaultGuard }] })
export class BodyModule {}
