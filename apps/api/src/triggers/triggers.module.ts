import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { CallBackLinks, IdentityModule } from '@weft/identity';
import { CLOCK, type Clock } from '@weft/kernel';
import { REDIS, type Redis } from '@weft/redis';
import { DeliveryLog, SCHEDULED_RUN_AUTHORIZER } from '@weft/runs';
import { EventsModule } from '../events/events.module.js';
import { FlowsModule } from '../flows/flows.module.js';
import { IntegrationsModule } from '../integrations/integrations.module.js';
import { PayloadsModule } from '../payloads/payloads.module.js';
import { IdentityProvidersModule } from '../oauth/identity-providers.module.js';
import { RunModule } from '../plays/run/run.module.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveriesService } from './deliveries.service.js';
import { ArrivingBodies } from './hooks/arriving-body.js';
import { CallBacksController } from './hooks/call-backs.controller.js';
import { CallBacks } from './hooks/call-backs.js';
import { DeliveryRuns } from './hooks/delivery-runs.js';
import { DeliveryThrottle } from './hooks/delivery-throttle.js';
import { HookIntake } from './hooks/hook-intake.js';
import { HookSamples } from './hooks/hook-samples.js';
import { HooksController } from './hooks/hooks.controller.js';
import { SourceChecks } from './source-checks.js';
import { TriggerSource } from './trigger-source.js';
import { TriggersController } from './triggers.controller.js';
import { TriggersService } from './triggers.service.js';

/** Addresses at which deliveries of other services run flows: docs/triggers.md. */
@Module({
  imports: [
    IdentityModule,
    IdentityProvidersModule,
    FlowsModule,
    RunModule,
    EventsModule,
    PayloadsModule,
    IntegrationsModule,
  ],
  controllers: [TriggersController, DeliveriesController, CallBacksController, HooksController],
  providers: [
    SCHEDULED_RUN_AUTHORIZER,
    SourceChecks,
    TriggerSource,
    TriggersService,
    DeliveriesService,
    DeliveryLog,
    DeliveryRuns,
    HookIntake,
    ArrivingBodies,
    HookSamples,
    CallBacks,
    { provide: CallBackLinks, useFactory: (settings: Settings) => new CallBackLinks(settings), inject: [SETTINGS] },
    {
      provide: DeliveryThrottle,
      inject: [SETTINGS, REDIS, CLOCK],
      useFactory: ({ triggers, queue }: Settings, redis: Redis, clock: Clock) =>
        new DeliveryThrottle(triggers, redis, queue.prefix, clock),
    },
  ],
})
export class TriggersModule {}
