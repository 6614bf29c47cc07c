// The kinds of specs, by their paths.

/** Fault tests of `npm test`: those that find most, each short. */
const CHAOS = ['agent-steps', 'nemesis', 'replica-set', 'rolling-restart', 'worker-freeze', 'worker-kill'];

/**
 * In the order of how much of their time they wait.
 * @satisfies {Readonly<Record<string, { include: readonly string[], is: RegExp }>>}
 */
export const KINDS = {
  /** Only in the network of `npm run k8s:prove`. */
  k8s: { include: ['test/k8s/*.spec.ts'], is: /\/test\/k8s\// },
  /** With the build of a release next to this one: `npm run test:upgrade`. */
  upgrade: { include: ['test/upgrade/*.spec.ts'], is: /\/test\/upgrade\// },
  /** All other fault tests: `npm run test:faults`. */
  faults: {
    include: [`test/chaos/!(${CHAOS.join('|')}).spec.ts`],
    is: new RegExp(`/test/chaos/(?!${CHAOS.join('\\.|')}\\.)[^/]+$`),
  },
  chaos: { include: CHAOS.map((name) => `test/chaos/${name}.spec.ts`), is: /\/test\/chaos\/[^/]+$/ },
  /** Stories over HTTP and sockets against the built processes. */
  e2e: { include: ['test/e2e/*.e2e.spec.ts'], is: /\.e2e\.spec\.ts$/ },
  /** On live MongoDB and Redis, or about processes that they start. */
  int: {
    include: ['{apps,libs}/*/src/**/*.int.spec.ts', 'test/chaos/harness/*.spec.ts'],
    is: /\.int\.spec\.ts$|\/harness\//,
  },
  /** Pure and fast, without servers. */
  unit: { include: ['{apps,libs}/*/src/**/!(*.int).spec.ts', 'test/model/**/*.spec.ts'], is: /\.spec\.ts$/ },
};

/** @typedef {keyof typeof KINDS} Kind */

/** What runs when nobody says what. */
export const DAILY = /** @type {const} */ (['chaos', 'e2e', 'int', 'unit']);

/**
 * @param {string} path of a spec
 * @returns {Kind}
 */
export function kindOf(path) {
  const found = Object.entries(KINDS).find(([, { is }]) => is.test(path));
  if (found === undefined) throw new Error(`${path} is not a spec`);
  return /** @type {Kind} */ (found[0]);
}

/**
 * @param {readonly Kind[]} kinds
 * @returns {string[]} patterns of their files
 */
export function filesOf(kinds) {
  return kinds.flatMap((kind) => KINDS[kind].include);
}
