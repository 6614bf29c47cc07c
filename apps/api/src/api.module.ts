import { Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { FlowsModule } from './flows/flows.module.js';
import { HttpModule } from './http/http.module.js';
import { PlaysModule } from './plays/plays.module.js';
import { RunModule } from './run/run.module.js';

/** The HTTP API. It expects what `HostModule` gives; `AuthModule` comes first, because guards run in this order. */
@Module({ imports: [AuthModule, HttpModule, FlowsModule, RunModule, PlaysModule] })
export class ApiModule {}
