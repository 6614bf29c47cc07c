import { Module } from '@nestjs/common';
import { PlaysModule } from '../plays/plays.module.js';
import { LanesController } from './lanes.controller.js';
import { LanesService } from './lanes.service.js';

@Module({ imports: [PlaysModule], controllers: [LanesController], providers: [LanesService] })
export class LanesModule {}
