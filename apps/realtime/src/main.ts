import { joinTasks, startProcess } from '@weft/process';
import { LiveStreams } from './live-streams.js';
import { RealtimeModule } from './realtime.module.js';

await startProcess({
  name: 'realtime',
  module: RealtimeModule,
  bootTasks: joinTasks(),
  beforeListen: (app) => app.get(LiveStreams).attach(app),
  needs: { database: true, queue: true, admin: true },
});
