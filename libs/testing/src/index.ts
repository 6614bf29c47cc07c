export { aLayer, aPlay, aVersion, SETTINGS } from './builders/flows.js';
export { ApiClient, type ApiAnswer, type RunAnswer, type RunBody } from './clients/api-client.js';
export { cleanUpWith } from './servers/clean-up.js';
export { connectProxy, type ConnectProxy, type ConnectProxyOptions } from './servers/connect-proxy.js';
export {
  answeringServer,
  mcpServer,
  resultOf,
  type McpRequest,
  type Offer,
  type OfferedTool,
  type TestMcpServer,
} from './servers/mcp-server.js';
export { mailServer, type MailServer } from './servers/mail-server.js';
export { modelProvider, type ModelProvider, type ModelRequest } from './servers/models/model-provider.js';
export type { ScriptedAnswer, ScriptedCall } from './servers/models/scripted.js';
export { ledgerServer, type LedgerAnswer, type LedgerCall, type LedgerServer } from './servers/ledger-server.js';
export {
  documentsOf,
  liveMongo,
  liveRedis,
  restoreServers,
  sharedServers,
  type Documents,
  type LiveMongo,
  type LiveRedis,
} from './servers/live-servers.js';
export { liveMariadb, type LiveMariadb } from './servers/live-mariadb.js';
export { liveKafka, type LiveKafka } from './servers/live-kafka.js';
export { livePostgres, type LivePostgres } from './servers/live-postgres.js';
export {
  privateClusterServer,
  privateMongod,
  privateRedis,
  type Certificates,
  type LocalServer,
} from './servers/private-servers.js';
export { processEnv, TEST_ADMIN, type ProcessServers } from './servers/process-env.js';
export { dialerTo, rawServer, type RawServer } from './servers/raw-server.js';
export { socketClient, type SocketClient } from './clients/socket-client.js';
export { s3Server, type AwsKeys, type S3Server } from './servers/s3-server.js';
export {
  joinProcess,
  spawnCommand,
  spawnProcess,
  type AppName,
  type SharedProcess,
  type SpawnedProcess,
  type SpawnOptions,
} from './servers/spawn-process.js';
export { heldBytes } from './held-bytes.js';
export { PEER_EXAMPLE, PRIVATE_CA } from './private-authority.js';
export {
  CLIENT,
  CLIENT_EXPIRED,
  CLIENT_OF_STRANGER,
  STORE,
  STORE_ELSEWHERE,
  STORE_EXPIRED,
  STORE_OF_STRANGER,
  STORES_CA,
} from './store-certificates.js';
export { sandbox } from './sandbox.js';
export { scratchFolder, testRun, type TestRun } from './test-run.js';
export { waitFor, type WaitOptions } from './wait-for.js';
export { MemoryPlayStore } from './contracts/memory-play-store.js';
export { playStoreContract } from './contracts/play-store.contract.js';
