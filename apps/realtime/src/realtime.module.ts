import { Module } from '@nestjs/common';
import { CLOCK, NEW_ID, SETTINGS } from '@weft/host';
import { IdentityModule } from '@weft/identity';
import { LiveStreams } from './live-streams.js';
import { PlaysGateway } from './socket-io/plays.gateway.js';
import { StoredPlays } from './play-stream/stored-plays.js';

/** Live streams. Whoever has the HTTP server attaches the gateway to it before it listens. */
@Module({
  imports: [IdentityModule.with({ settings: SETTINGS, clock: CLOCK, newId: NEW_ID })],
  providers: [StoredPlays, LiveStreams, PlaysGateway],
  exports: [LiveStreams],
})
export class RealtimeModule {}
