import { Module } from '@nestjs/common';
import type { Settings } from '@weft/config';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { CredentialChecker, openIdentity } from '@weft/identity';
import type { Clock, NewId } from '@weft/kernel';
import { Mongo } from '@weft/persistence';
import { InvalidationBus } from '@weft/realtime-bus';
import { PlayStreamGateway } from './play-stream/play-stream.gateway.js';
import { StoredPlays } from './play-stream/stored-plays.js';

/** Live streams. Whoever has the HTTP server attaches the gateway to it before it listens. */
@Module({
  providers: [
    {
      provide: CredentialChecker,
      inject: [Mongo, SETTINGS, CLOCK, NEW_ID, InvalidationBus],
      useFactory: (mongo: Mongo, settings: Settings, clock: Clock, newId: NewId, bus: InvalidationBus) =>
        openIdentity({ mongo, settings, clock, newId, bus }).checker,
    },
    StoredPlays,
    PlayStreamGateway,
  ],
  exports: [PlayStreamGateway],
})
export class RealtimeModule {}
