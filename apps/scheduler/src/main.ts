import { founding, startProcess } from '@weft/host';
import { SchedulerModule } from './scheduler.module.js';

await startProcess({
  name: 'scheduler',
  module: SchedulerModule,
  bootTasks: founding(),
  needs: { database: true, queue: false },
});
