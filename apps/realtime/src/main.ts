import { joining, startProcess } from '@weft/host';
import { LiveStreams } from './live-streams.js';
import { RealtimeModule } from './realtime.module.js';

await startProcess({
  name: 'realtime',
  module: RealtimeModule,
  bootTasks: joining(),
  beforeListen: (app) => app.get(LiveStreams).attach(app),
  needs: { database: true, queue: true, admin: true },
});
