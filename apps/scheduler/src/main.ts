import { joinTasks, startProcess } from '@weft/process';
import { SchedulerModule } from './scheduler.module.js';

await startProcess({
  name: 'scheduler',
  module: SchedulerModule,
  bootTasks: joinTasks(),
  needs: { database: true, queue: false, admin: true },
});
