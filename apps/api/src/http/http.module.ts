import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ApiDocsController } from '../pages/api-docs.controller.js';
import { AssetsController } from '../pages/assets.controller.js';
import { RootController } from '../pages/root.controller.js';
import { BodyFaultGuard } from './body-fault.js';
import { DtoPipe } from './dto.pipe.js';
import { OpenApiController, OpenApiSource } from './openapi.controller.js';
import { ProblemFilter } from './problem.filter.js';

/**
 * What applies to every route of the API. Import it before every other module: Nest runs the last registered filter first,
 * and this one handles what all others leave.
 */
@Module({
  controllers: [ApiDocsController, AssetsController, OpenApiController, RootController],
  providers: [
    OpenApiSource,
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: DtoPipe },
  ],
})
export class HttpModule {}

/** Import it after `AuthModule`: guards run in the order of their modules, and the caller is checked before the body. */
@Module({ providers: [{ provide: APP_GUARD, useClass: BodyFaultGuard }] })
export class BodyModule {}
