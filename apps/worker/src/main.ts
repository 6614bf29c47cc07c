import { joinTasks, startProcess } from '@weft/process';
import { WorkerModule } from './worker.module.js';

await startProcess({
  name: 'worker',
  module: WorkerModule,
  bootTasks: joinTasks(),
  needs: { database: true, queue: true, admin: true },
});
