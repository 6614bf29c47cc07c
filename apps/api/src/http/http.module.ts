import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { BodyFaultGuard } from './body-fault.js';
import { DtoPipe } from './dto.pipe.js';
import { OpenApiController, OpenApiSource } from './openapi.controller.js';
import { ProblemFilter } from './problem.filter.js';

/**
 * What holds for every route of the API. Import it after `AuthModule`: global guards run in the order of their modules, and
 * who is asking comes before what was sent.
 */
@Module({
  controllers: [OpenApiController],
  providers: [
    OpenApiSource,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_GUARD, useClass: BodyFaultGuard },
    { provide: APP_PIPE, useClass: DtoPipe },
  ],
})
export class HttpModule {}
