import { Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { FlowsModule } from './flows/flows.module.js';
import { BodyModule, HttpModule } from './http/http.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { PlaysModule } from './plays/plays.module.js';
import { RunModule } from './run/run.module.js';

/** The HTTP API. It expects what `HostModule` gives. The first three stand in this order for the reasons they name. */
@Module({ imports: [HttpModule, AuthModule, BodyModule, FlowsModule, RunModule, PlaysModule, OAuthModule] })
export class ApiModule {}
