import { founding, startProcess } from '@weft/host';
import { ApiModule } from './api.module.js';
import { createApiAdapter } from './http/http-adapter.js';
import { offerOpenApi } from './http/openapi.controller.js';

await startProcess({
  name: 'api',
  module: ApiModule,
  adapter: createApiAdapter,
  bootTasks: founding(),
  beforeListen: offerOpenApi,
  needs: { database: true, queue: false },
});
