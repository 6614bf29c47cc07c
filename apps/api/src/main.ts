import { provisionTasks, startProcess } from '@weft/process';
import { ApiModule } from './api.module.js';
import { createApiAdapter } from './http/http-adapter.js';
import { offerOpenApi } from './http/openapi.controller.js';

await startProcess({
  name: 'api',
  module: ApiModule,
  adapter: createApiAdapter,
  bootTasks: provisionTasks(),
  beforeListen: offerOpenApi,
  needs: { database: true, queue: false },
});
