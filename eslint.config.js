import js from '@eslint/js';
import vitest from '@vitest/eslint-plugin';
import reactHooks from 'eslint-plugin-react-hooks';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const SPECS = ['**/*.spec.ts'];
const PURE = ['kernel', 'shapes', 'contracts', 'expressions', 'json-schema', 'engine', 'access', 'retention'].map(
  (lib) => `libs/${lib}/src/**/*.ts`,
);
/** Outgoing connections have one home, where the guard is; sockets that come in have theirs. */
const NO_CORE = ['undici', 'nodemailer', 'pg', 'mysql2'];
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

export default defineConfig(
  {
    ignores: [
      'node_modules/',
      'dist/',
      '.weft/',
      'coverage/',
      'libs/client/dist/',
      'tools/canary/',
      'tools/api/clients/javascript/call.ts', // its imports are made by `npm run check:clients`
      'libs/client/src/api-types.ts',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.js'],
    extends: [js.configs.recommended, tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    // A rule that is wrong somewhere is changed here, for everybody to see.
    linterOptions: { noInlineConfig: true },
    rules: {
      eqeqeq: ['error', 'smart'],
      'no-undef': 'off', // the compiler knows what is defined, in .mjs files too
      'no-control-regex': 'off', // names with control characters are refused, so patterns contain them
      'no-console': 'error',
      'no-empty': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // openid-client marks it so that it stands out; we call it for issuers on this machine.
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'openid-client', name: 'allowInsecureRequests' }] },
      ],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      // `x as Known` says what is known; `!` would only say that somebody is sure.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // An interface may be empty on purpose (a marker that greps), and a type alias reads better for unions of records.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/prefer-nullish-coalescing': ['error', { ignorePrimitives: { string: true } }],
    },
  },
  {
    files: ['{apps,libs}/*/src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': ['error', ...banned],
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-restricted-imports': ['error', { paths: outgoing }],
      'no-restricted-globals': ['error', ...outgoingGlobals],
      'max-lines': ['error', { max: 400 }],
    },
  },
  {
    // The browser: it talks to its own server, in two places. The router takes what is thrown as the way to go.
    files: ['apps/dashboard/src/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended],
    rules: {
      // Both are about the React Compiler, which we do not use.
      'react-hooks/incompatible-library': 'off',
      'react-hooks/set-state-in-effect': 'off',
      '@typescript-eslint/only-throw-error': [
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
      'no-restricted-syntax': [
        'error',
        ...banned.filter(({ message }) => !message.startsWith(ONLY_EGRESS.slice(0, -1))),
      ],
    },
  },
  {
    // Its settings are those of whoever starts it.
    files: ['apps/cli/src/program.ts'],
    rules: { 'no-restricted-syntax': ['error', ...banned.filter(({ message }) => !message.startsWith('Settings'))] },
  },
  {
    // vite takes the default export.
    files: ['apps/dashboard/vite.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: READS_OUTSIDE,
    ignores: [...SPECS, ...READS_OWN],
    rules: { 'no-restricted-syntax': ['error', ...banned, parsing] },
  },
  { files: PURE, ignores: SPECS, rules: { 'no-restricted-syntax': ['error', ...banned, parsing, ...impure] } },
  {
    files: ['libs/kernel/src/{parse-json,big-integers}.ts'],
    rules: { 'no-restricted-syntax': ['error', ...banned, ...impure] },
  },
  {
    files: ['libs/config/src/**/*.ts'],
    ignores: SPECS,
    rules: { 'no-restricted-syntax': ['error', ...banned.slice(0, 2)] },
  },
  {
    files: ['libs/egress/src/**/*.ts', 'libs/testing/src/**/*.ts', 'apps/standalone/src/**/*.ts', ...SPECS],
    rules: { '@typescript-eslint/no-restricted-imports': 'off', 'no-restricted-globals': 'off' },
  },
  {
    // It writes mails to a socket that it is given.
    files: ['libs/layers/src/modules/email/**/*.ts'],
    ignores: SPECS,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: outgoing.filter(({ name }) => name !== 'nodemailer') },
      ],
    },
  },
  {
    // They speak to databases over a socket that they are given.
    files: ['libs/layers/src/sql/**/*.ts'],
    ignores: SPECS,
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: outgoing.filter(({ name }) => name !== 'pg' && name !== 'mysql2') },
      ],
    },
  },
  {
    files: ['libs/testing/src/**/*.ts', 'apps/standalone/src/**/*.ts'],
    ignores: SPECS,
    rules: { 'no-restricted-syntax': ['error', ...banned.slice(0, 2)] },
  },
  {
    files: SPECS,
    rules: {
      'max-lines': 'off',
      'no-restricted-syntax': ['error', ...banned.slice(0, 2), ...sleeping],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: SPECS,
    plugins: { vitest },
    rules: {
      ...vitest.configs.recommended.rules,
      'vitest/expect-expect': ['error', { assertFunctionNames: ASSERTIONS }],
      'vitest/valid-expect': ['error', { maxArgs: 2 }], // the second is the message of the failure
      'vitest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['beforeAll'] }],
      // A row of a table says which of the answers is expected, and `waitFor` repeats what has expectations in it.
      'vitest/no-conditional-expect': 'off',
    },
  },
  {
    files: ['**/*.int.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...banned.slice(0, 2), ...sleeping, ...wiping] },
  },
  {
    // Commands: they talk to people on the console, and read JSON that nobody typed.
    files: ['**/*.mjs', '**/*.js', 'vitest.config.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: ['apps/standalone/src/**/*.ts', 'docs/examples/*.ts', 'libs/client/examples/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
