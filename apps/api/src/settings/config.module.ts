import { Module } from '@nestjs/common';
import { ConfigController } from './config.controller.js';
import { ConfigService } from './config.service.js';

/** The settings of the installation, for its admins and operators. */
@Module({ controllers: [ConfigController], providers: [ConfigService] })
export class ConfigAdminModule {}
