import { founding, startProcess } from '@weft/host';
import { PlayStreamGateway } from './play-stream/play-stream.gateway.js';
import { RealtimeModule } from './realtime.module.js';

await startProcess({
  name: 'realtime',
  module: RealtimeModule,
  bootTasks: founding(),
  beforeListen: (app) => app.get(PlayStreamGateway).attach(app.getHttpServer()),
  needs: { database: true, queue: true },
});
