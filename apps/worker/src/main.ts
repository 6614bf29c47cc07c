import { joining, startProcess } from '@weft/host';
import { WorkerModule } from './worker.module.js';

await startProcess({
  name: 'worker',
  module: WorkerModule,
  bootTasks: joining(),
  needs: { database: true, queue: true, admin: true },
});
