import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PassRunner } from './pass-runner.js';

/** For processes that have passes. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [PassRunner], exports: [PassRunner] })
export class PassesModule {}
