import { founding, startProcess } from '@weft/host';
import { WorkerModule } from './worker.module.js';

await startProcess({
  name: 'worker',
  module: WorkerModule,
  bootTasks: founding(),
  needs: { database: true, queue: true },
});
