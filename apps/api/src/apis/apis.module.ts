import { Module } from '@nestjs/common';
import { IntegrationsModule } from '../integrations/integrations.module.js';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { ApisController } from './apis.controller.js';
import { ApisService } from './apis.service.js';

/** Services of which the company has given the OpenAPI document. */
@Module({
  imports: [IntegrationsModule, PayloadsModule],
  controllers: [ApisController],
  providers: [ApisService],
})
export class ApisModule {}
