// Who may import whom: ARCHITECTURE.md. `tools/check-imports.mjs` runs these rules over the code, and over `tools/canary`,
// where every one of them must be broken: a rule that the canary does not break is a rule that does not work.

/** Each may import those before it. */
const ORDER = [
  'kernel',
  'shapes',
  'contracts',
  'expressions',
  'json-schema',
  'engine',
  'access',
  'retention',
  'concurrency',
  'egress',
  'sandbox',
  'layers',
  'config',
  'observability',
  'store',
  'records',
  'redis',
  'queue',
  'realtime-bus',
  'identity',
  'webhooks',
  'runs',
  'process',
];
const PURE = ORDER.slice(0, 8);
const SPEC = '\\.spec\\.ts$';
const TEST_CODE = `(${SPEC}|\\.fixture\\.ts$|^libs/testing/|^test/|^vitest\\.config\\.ts$)`;
const CORE_WITH_EFFECTS =
  '^(node:)?(fs|fs/promises|net|http|https|http2|dgram|dns|dns/promises|tls|child_process|worker_threads|cluster|process|os|timers|timers/promises|perf_hooks|crypto)$';

/** Where a technology lives; nobody else knows that we use it. */
const HOMES = {
  mongo: { packages: '(mongoose|mongodb|@nestjs/mongoose)', homes: '^libs/(store|records)/' },
  bullmq: { packages: '(bullmq|@nestjs/bullmq)', homes: '^libs/queue/' },
  ioredis: { packages: 'ioredis', homes: '^libs/redis/' },
  undici: { packages: 'undici', homes: '^libs/egress/|^apps/standalone/' },
  'prom-client': { packages: 'prom-client', homes: '^libs/observability/' },
  bcrypt: { packages: 'bcrypt', homes: '^libs/identity/' },
  ws: { packages: 'ws', homes: '^apps/realtime/' },
  react: { packages: '(react|react-dom|@mantine|@tanstack)', homes: '^apps/dashboard/' },
};

const inPackage = (names) => `node_modules/(@types/)?${names}/`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...ORDER.slice(0, -1).map((lib, at) => ({
      name: `${lib}-imports-only-what-is-above-it`,
      severity: 'error',
      from: { path: `^libs/${lib}/src/`, pathNot: SPEC },
      to: { path: `^(libs/(${ORDER.slice(at + 1).join('|')})|apps/[^/]+)/` },
    })),
    {
      name: 'libs-do-not-import-apps',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-do-not-import-each-other',
      comment: 'Except the standalone app, which composes them.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'the-dashboard-imports-only-what-browsers-run',
      severity: 'error',
      from: { path: '^apps/dashboard/src/' },
      to: { path: '^(libs/(?!(access|client|contracts|kernel)/)|apps/(?!dashboard/))' },
    },
    {
      name: 'the-client-is-published-alone',
      severity: 'error',
      from: { path: '^libs/client/src/', pathNot: SPEC },
      to: { path: '^(libs/(?!client/)|apps/)' },
    },
    {
      name: 'the-command-line-is-published-with-the-client',
      comment: 'Its one file has the shapes in it.',
      severity: 'error',
      from: { path: '^apps/cli/src/', pathNot: SPEC },
      to: { path: '^(libs/(?!(client|shapes)/)|apps/(?!cli/))' },
    },
    {
      name: 'only-specs-import-testing',
      severity: 'error',
      from: { pathNot: TEST_CODE },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'nothing-imports-a-spec',
      severity: 'error',
      from: {},
      to: { path: SPEC },
    },
    {
      name: 'pure-libs-have-no-technology',
      severity: 'error',
      from: { path: `^libs/(${PURE.join('|')})/src/`, pathNot: SPEC },
      to: {
        path: 'node_modules/(@types/)?(@nestjs|mongoose|mongodb|bullmq|ioredis|socket\\.io|ws|prom-client|undici|fastify|@fastify|pino|bcrypt|rxjs)/',
      },
    },
    {
      name: 'pure-libs-have-no-effects',
      severity: 'error',
      from: { path: `^libs/(${PURE.join('|')})/src/`, pathNot: SPEC },
      to: { dependencyTypes: ['core'], path: CORE_WITH_EFFECTS },
    },
    ...Object.entries(HOMES).map(([name, { packages, homes }]) => ({
      name: `${name}-has-one-home`,
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: `${TEST_CODE}|${homes}` },
      to: { path: inPackage(packages), dependencyTypesNot: ['type-only'] },
    })),
    {
      name: 'other-libs-only-by-their-name',
      comment: '@weft/<lib>, never a relative path.',
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: { path: '^libs/', pathNot: '^$1/$2/', dependencyTypesNot: ['aliased'] },
    },
    {
      name: 'other-libs-only-by-their-index',
      severity: 'error',
      from: { path: '^(libs|apps)/([^/]+)/' },
      to: { path: '^libs/[^/]+/src/', pathNot: '^$1/$2/|^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'no-cycles',
      comment: 'Types may refer to each other; modules may not need each other.',
      severity: 'error',
      from: { path: '^(libs|apps)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'everything-is-found',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|libs/client/dist)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
