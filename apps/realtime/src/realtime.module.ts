import { Module } from '@nestjs/common';
import { IdentityModule } from '@weft/identity';
import { LiveStreams } from './live-streams.js';
import { PlaysGateway } from './socket-io/plays.gateway.js';
import { StoredPlays } from './play-stream/stored-plays.js';

/** Live streams. The process that owns the HTTP server calls `LiveStreams.attach` before it listens. */
@Module({
  imports: [IdentityModule],
  providers: [StoredPlays, LiveStreams, PlaysGateway],
  exports: [LiveStreams],
})
export class RealtimeModule {}
