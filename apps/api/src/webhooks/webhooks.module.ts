import { Module } from '@nestjs/common';
import { ChangesModule } from '../changes/changes.module.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Manages endpoints of webhooks. `apps/scheduler` delivers to them. */
@Module({
  imports: [ChangesModule],
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [WebhooksService, WebhookDeliveriesService],
})
export class WebhooksModule {}
