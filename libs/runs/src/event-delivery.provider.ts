import type { FactoryProvider } from '@nestjs/common';
import { NEW_ID, type NewId } from '@weft/kernel';
import { LOG, warnRarely } from '@weft/observability';
import { Doorbell, WindowRoom } from '@weft/queue';
import { KeptEventsRepository } from '@weft/records';
import { Mongo, MongoPlayStore, PayloadStore, WaitingPlaysRepository } from '@weft/store';
import { EventDelivery } from './event-delivery.js';
import type { Logger } from 'pino';
import { PlayCommands } from './play-commands.js';
import { RunPathEvents } from './run-path.js';
import { ScheduledRunAuthorizer } from './scheduled-run-authorizer.js';

const NOT_LOOKED = 'could not look for kept events that a play waits for: the scheduler will';

/** For modules that import `IdentityModule` and provide `SCHEDULED_RUN_AUTHORIZER`. */
export const EVENT_DELIVERY: FactoryProvider<EventDelivery> = {
  provide: EventDelivery,
  inject: [
    ...[Mongo, WaitingPlaysRepository, KeptEventsRepository, MongoPlayStore, PlayCommands, Doorbell, WindowRoom],
    ...[PayloadStore, ScheduledRunAuthorizer, NEW_ID, RunPathEvents, LOG],
  ],
  useFactory: (
    mongo: Mongo,
    waiting: WaitingPlaysRepository,
    kept: KeptEventsRepository,
    store: MongoPlayStore,
    commands: PlayCommands,
    doorbell: Doorbell,
    windowRoom: WindowRoom,
    payloads: PayloadStore,
    authorizer: ScheduledRunAuthorizer,
    newId: NewId,
    events: RunPathEvents,
    log: Logger,
  ) => {
    const delivery = new EventDelivery({
      mongo,
      waiting,
      kept,
      store,
      commands,
      doorbell,
      windowRoom,
      payloads,
      authorizer,
      newId,
    });
    const onFault = warnRarely(log, 'run', NOT_LOOKED);
    events.on('eventsAwaited', (play) => void delivery.look(play).catch(onFault));
    return delivery;
  },
};
