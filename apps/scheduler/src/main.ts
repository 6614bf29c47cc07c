import { joining, startProcess } from '@weft/host';
import { SchedulerModule } from './scheduler.module.js';

await startProcess({
  name: 'scheduler',
  module: SchedulerModule,
  bootTasks: joining(),
  needs: { database: true, queue: false, admin: true },
});
