import { founding, startProcess } from '@weft/host';
import { ApiModule } from './api.module.js';
import { createApiAdapter } from './http/http-adapter.js';

await startProcess({
  name: 'api',
  module: ApiModule,
  adapter: createApiAdapter,
  bootTasks: founding(),
  needs: { database: true, queue: false },
});
