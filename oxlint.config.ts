import { defineConfig } from 'oxlint';

const SPECS = ['**/*.spec.ts'];
const PURE = ['kernel', 'shapes', 'contracts', 'expressions', 'json-schema', 'engine', 'access', 'retention'].map(
  (lib) => `libs/${lib}/src/**/*.ts`,
);
/** Outgoing connections have one home, where the guard is; sockets that come in have theirs. */
const NO_CORE = ['undici', 'nodemailer', 'pg', 'mysql2', 'imapflow'];
const OUTGOING = [...NO_CORE, 'http', 'https', 'http2', 'net', 'tls', 'dgram', 'dns', 'dns/promises'];
const ONLY_EGRESS = 'Calls to the outside go through @weft/egress.';
/** What of those modules only describes, only looks at text, or takes what comes in. */
const HARMLESS = [
  'isIP',
  'isIPv4',
  'isIPv6',
  'STATUS_CODES',
  'METHODS',
  'createServer',
  'IncomingMessage',
  'ServerResponse',
];

const outgoing = OUTGOING.flatMap((name) => [name, ...(NO_CORE.includes(name) ? [] : [`node:${name}`])]).map(
  (name) => ({
    name,
    allowImportNames: HARMLESS,
    allowTypeImports: true,
    message: ONLY_EGRESS,
  }),
);
const outgoingGlobals = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'].map((name) => ({
  name,
  message: ONLY_EGRESS,
}));
const outgoingSyntax = [
  'MemberExpression[object.name=/^global(This)?$/][property.name=/^(fetch|WebSocket|EventSource)$/]',
  `ImportExpression[source.value=/^(node:)?(${OUTGOING.join('|').replace('/', '\\u002F')})$/]`,
  "CallExpression[callee.property.name='getBuiltinModule']",
  // its `resolve` only finds files
  "VariableDeclarator > CallExpression[callee.name='createRequire']",
  "CallExpression > CallExpression.callee[callee.name='createRequire']",
].map((selector) => ({ selector, message: ONLY_EGRESS }));

const banned = [
  { selector: 'TSEnumDeclaration', message: 'A const object with a derived union instead (CONTRIBUTING.md).' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  {
    selector: "MemberExpression[object.name='process'][property.name='env']",
    message: 'Settings come from @weft/config.',
  },
  ...outgoingSyntax,
];
/** One reader has the bounds, and keeps every digit (libs/kernel/src/parse-json.ts). */
const parsing = {
  selector: "MemberExpression[object.name='JSON'][property.name='parse']",
  message: 'parseJson of @weft/kernel reads what comes from outside, parseStoredJson what Weft stored of it.',
};
/** Where JSON from outside is read, or what was stored of it. */
const READS_OUTSIDE = [
  'apps/{api,worker,realtime,scheduler}/src/**/*.ts',
  'libs/{kernel,shapes,contracts,expressions,json-schema,engine,access,retention,egress,layers,store,records,identity,webhooks,runs}/src/**/*.ts',
];
/** They read what Weft itself has written, and nobody else: its sandbox's answers, its keys, its backups, its schemas. */
const READS_OWN = [
  'libs/kernel/src/{parse-json,big-integers}.ts',
  'libs/layers/src/call/call-sandbox.ts',
  'libs/runs/src/compute-expressions.ts',
  'libs/identity/src/approval-links.ts',
  'libs/identity/src/secrets/backup-secrets.ts',
  'libs/records/src/database/collection-validators.ts',
  'libs/records/src/backup/backup-reader.ts',
];
const impure = [
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: 'Take a Clock.' },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Take a Clock.' },
  { selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']", message: 'Take a NewId.' },
  {
    selector: 'CallExpression[callee.name=/^(setTimeout|setInterval|setImmediate)$/]',
    message: 'Pure code does not wait.',
  },
];
/** What fails a test when it is not so: vitest's own, fast-check's, and helpers of ours that throw after a time. */
const ASSERTIONS = ['expect', 'fc.assert', 'waitFor', 'passUntilReaped', 'allIsWell'];
const wiping = ['MemberExpression[property.name=/^flush(all|db)$/i]', 'Literal[value=/^flush(all|db)$/i]'].map(
  (selector) => ({
    selector,
    message: 'All specs share this Redis: liveRedis().wipe() takes what is yours, privateRedis() is yours alone.',
  }),
);
const sleeping = [
  {
    selector:
      "NewExpression[callee.name='Promise'] CallExpression[callee.name='setTimeout'][arguments.0.type='Identifier']",
    message: 'A spec waits for the event, not for time: waitFor of @weft/testing.',
  },
  {
    selector: 'ImportDeclaration[source.value=/^(node:)?timers\\u002Fpromises$/]',
    message: 'A spec waits for the event, not for time: waitFor of @weft/testing.',
  },
  {
    selector: 'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(only|skip|todo)$/]',
    message: 'Every test runs, always.',
  },
  {
    selector:
      ':matches(CallExpression[callee.name=/^(it|test)$/], CallExpression[callee.callee.object.name=/^(it|test)$/]) CallExpression[callee.name=/^(before|after)(All|Each)$/]',
    message: 'vitest never runs a hook that a test registers: onTestFinished.',
  },
];

/** A rule that is wrong somewhere is changed here, for everybody to see: tools/check-lint.mjs refuses comments that turn one off. */
export default defineConfig({
  plugins: ['eslint', 'typescript', 'react', 'vitest', 'oxc'],
  jsPlugins: [`${import.meta.dirname}/tools/lint-rules.mjs`],
  categories: { correctness: 'error' },
  options: { typeAware: true, maxWarnings: 0, respectEslintDisableDirectives: false },
  ignorePatterns: [
    'node_modules/',
    'dist/',
    '.weft/',
    'coverage/',
    'libs/client/dist/',
    'tools/canary/',
    'tools/api/clients/javascript/call.ts', // its imports are made by `npm run check:clients`
    'libs/client/src/api-types.ts',
  ],
  rules: {
    eqeqeq: ['error', 'smart'],
    'no-array-constructor': 'error',
    'no-case-declarations': 'error',
    'no-console': 'error',
    'no-control-regex': 'off', // names with control characters are refused, so patterns contain them
    'no-empty': 'error',
    'no-fallthrough': 'error',
    'no-prototype-builtins': 'error',
    'no-regex-spaces': 'error',
    // `(a?.b as Known).c` in a spec fails where it should
    'no-unsafe-optional-chaining': 'off',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    'no-var': 'error',
    'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
    'object-shorthand': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'preserve-caught-error': 'error',

    // A row of a table says which of the answers is expected, and `waitFor` repeats what has expectations in it.
    'vitest/no-conditional-expect': 'off',

    'typescript/adjacent-overload-signatures': 'error',
    'typescript/array-type': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/class-literal-property-style': 'error',
    'typescript/consistent-generic-constructors': 'error',
    'typescript/consistent-indexed-object-style': 'error',
    'typescript/consistent-type-assertions': 'error',
    'typescript/dot-notation': 'error',
    'typescript/no-confusing-non-null-assertion': 'error',
    // openid-client marks it so that it stands out; we call it for issuers on this machine.
    'typescript/no-deprecated': [
      'error',
      { allow: [{ from: 'package', package: 'openid-client', name: 'allowInsecureRequests' }] },
    ],
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-inferrable-types': 'error',
    // Texts are spread into their characters, and values of Nest's request classes are plain.
    'typescript/no-misused-spread': 'off',
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    'typescript/no-meaningless-void-operator': 'off', // a callback that returns nothing says so
    'typescript/no-namespace': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/no-unnecessary-type-constraint': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-enum-comparison': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-useless-default-assignment': 'off', // a stored document may lack what its type has
    'typescript/only-throw-error': 'error',
    'typescript/prefer-find': 'error',
    'typescript/prefer-for-of': 'error',
    'typescript/prefer-function-type': 'error',
    'typescript/prefer-includes': 'error',
    'typescript/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/prefer-readonly': 'error',
    'typescript/prefer-regexp-exec': 'error',
    'typescript/prefer-string-starts-ends-with': 'error',
    'typescript/require-array-sort-compare': 'off', // lists of texts
    'typescript/restrict-plus-operands': 'error',
    'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    'typescript/return-await': ['error', 'in-try-catch'],
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  },
  overrides: [
    {
      files: ['{apps,libs}/*/src/**/*.{ts,tsx}'],
      rules: {
        'weft/restricted-syntax': ['error', ...banned],
        'no-restricted-imports': ['error', { paths: outgoing }],
        'no-restricted-globals': ['error', ...outgoingGlobals],
        'max-lines': ['error', { max: 400 }],
      },
    },
    {
      // The browser: it talks to its own server, in two places. The router takes what is thrown as the way to go.
      files: ['apps/dashboard/src/**/*.{ts,tsx}'],
      rules: {
        'react/rules-of-hooks': 'error',
        // Both are about the React Compiler, which we do not use.
        'react/incompatible-library': 'off',
        'react/set-state-in-effect': 'off',
        'typescript/only-throw-error': [
          'error',
          { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
        ],
      },
    },
    {
      files: ['apps/dashboard/src/{api,live}/*.ts'],
      rules: { 'no-restricted-globals': 'off' },
    },
    {
      // The client of the API: it runs elsewhere. So does the command line, which posts events to a receiver next to it.
      files: ['libs/client/src/http/connection.ts', 'apps/cli/src/commands/hooks.ts'],
      rules: { 'no-restricted-globals': 'off' },
    },
    {
      // One says which proxy the command line uses; the other loads libraries in processes that have no network.
      files: ['apps/cli/src/io/proxy.ts', 'libs/sandbox/src/inside/when-needed.ts'],
      rules: {
        'weft/restricted-syntax': ['error', ...banned.filter(({ message }) => message !== ONLY_EGRESS)],
      },
    },
    {
      // Its settings are those of whoever starts it.
      files: ['apps/cli/src/program.ts'],
      rules: {
        'weft/restricted-syntax': ['error', ...banned.filter(({ message }) => !message.startsWith('Settings'))],
      },
    },
    {
      // vite takes the default export.
      files: ['apps/dashboard/vite.config.ts'],
      rules: { 'weft/restricted-syntax': 'off' },
    },
    {
      files: READS_OUTSIDE,
      excludeFiles: [...SPECS, ...READS_OWN],
      rules: { 'weft/restricted-syntax': ['error', ...banned, parsing] },
    },
    {
      files: PURE,
      excludeFiles: SPECS,
      rules: { 'weft/restricted-syntax': ['error', ...banned, parsing, ...impure] },
    },
    {
      files: ['libs/kernel/src/{parse-json,big-integers}.ts'],
      rules: { 'weft/restricted-syntax': ['error', ...banned, ...impure] },
    },
    {
      files: ['libs/config/src/**/*.ts'],
      excludeFiles: SPECS,
      rules: { 'weft/restricted-syntax': ['error', ...banned.slice(0, 2)] },
    },
    {
      files: ['libs/egress/src/**/*.ts', 'libs/testing/src/**/*.ts', 'apps/standalone/src/**/*.ts', ...SPECS],
      rules: { 'no-restricted-imports': 'off', 'no-restricted-globals': 'off' },
    },
    {
      // It writes mails to a socket that it is given.
      files: ['libs/layers/src/modules/email/**/*.ts'],
      excludeFiles: SPECS,
      rules: { 'no-restricted-imports': ['error', { paths: outgoing.filter(({ name }) => name !== 'nodemailer') }] },
    },
    {
      // It reads mails from a socket that it is given.
      files: ['apps/scheduler/src/sources/imap/mail-folder.ts'],
      rules: { 'no-restricted-imports': ['error', { paths: outgoing.filter(({ name }) => name !== 'imapflow') }] },
    },
    {
      // They speak to databases over a socket that they are given.
      files: ['libs/layers/src/sql/**/*.ts'],
      excludeFiles: SPECS,
      rules: {
        'no-restricted-imports': [
          'error',
          { paths: outgoing.filter(({ name }) => name !== 'pg' && name !== 'mysql2') },
        ],
      },
    },
    {
      files: ['libs/testing/src/**/*.ts', 'apps/standalone/src/**/*.ts'],
      excludeFiles: SPECS,
      rules: { 'weft/restricted-syntax': ['error', ...banned.slice(0, 2)] },
    },
    {
      files: SPECS,
      rules: {
        'max-lines': 'off',
        'weft/restricted-syntax': ['error', ...banned.slice(0, 2), ...sleeping],
        'typescript/no-non-null-assertion': 'off',
        'typescript/unbound-method': 'off',
        'vitest/expect-expect': ['error', { assertFunctionNames: ASSERTIONS }],
        'vitest/no-commented-out-tests': 'error',
        'vitest/no-identical-title': 'error',
        'vitest/no-import-node-test': 'error',
        'vitest/no-mocks-import': 'error',
        'vitest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['beforeAll'] }],
        'vitest/valid-expect': ['error', { maxArgs: 2 }], // the second is the message of the failure
        'vitest/require-mock-type-parameters': 'off',
        'vitest/require-to-throw-message': 'off',
      },
    },
    {
      files: ['**/*.int.spec.ts'],
      rules: { 'weft/restricted-syntax': ['error', ...banned.slice(0, 2), ...sleeping, ...wiping] },
    },
    {
      // Commands: they talk to people on the console, and read JSON that nobody typed.
      files: ['**/*.mjs', '**/*.js', 'vitest.config.ts'],
      rules: {
        'no-console': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
      },
    },
    {
      files: ['apps/standalone/src/**/*.ts', 'docs/examples/*.ts', 'libs/client/examples/*.ts'],
      rules: { 'no-console': 'off' },
    },
  ],
});
