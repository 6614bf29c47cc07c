export { ApiClient, type ApiAnswer, type RunAnswer, type RunBody } from './api-client.js';
export { ledgerServer, type LedgerAnswer, type LedgerCall, type LedgerServer } from './ledger-server.js';
export { liveMongo, liveRedis, type LiveMongo, type LiveRedis } from './live-servers.js';
export { privateMongod, privateRedis, type LocalServer } from './private-servers.js';
export { processEnv, TEST_ADMIN, type ProcessServers } from './process-env.js';
export { socketClient, type SocketClient } from './socket-client.js';
export { spawnProcess, type AppName, type SpawnedProcess, type SpawnOptions } from './spawn-process.js';
export { scratchFolder, testRun, type TestRun } from './test-run.js';
export { waitFor, type WaitOptions } from './wait-for.js';
