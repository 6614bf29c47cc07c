// Leaves out of KEDA's source what a build would need two thirds of its time for: scalers other than `metrics-api`, and secret stores of
// cloud platforms. What is left is KEDA's own code: its controllers, its autoscalers, its fallback, its metrics adapter.
import { chmod, cp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Trouble } from '../setup/trouble.mjs';

const KEPT_SCALERS = ['scaler.go', 'metrics_api_scaler.go', 'authentication', 'scalersconfig'];
const LEFT_OUT = [
  'tests',
  'pkg/scaling/resolver/aws_secretmanager_handler.go',
  'pkg/scaling/resolver/azure_keyvault_handler.go',
  'pkg/scaling/resolver/gcp_secretmanager_handler.go',
  'pkg/scaling/resolver/hashicorpvault_handler.go',
  'pkg/eventemitter/azure_event_grid_topic_handler.go',
];
/**
 * Blocks of code, up to the bracket that closes them, and lines; with what replaces them, if anything does.
 * @type {readonly (readonly [file: string, pattern: RegExp, instead?: string])[]}
 */
const CUTS = [
  ['pkg/scaling/scalers_builder.go', /^\tcase "(?!metrics-api").*\n(?:\t\t.*\n|\t\/\/.*\n)+/gm],
  [
    'pkg/scaling/resolver/scale_resolvers.go',
    /^\t\t\tif triggerAuthSpec\.(?:HashiCorpVault|AzureKeyVault|GCPSecretManager|AwsSecretManager|AzureServicePrincipal) != nil[^]*?\n\t\t\t\}\n/gm,
  ],
  ['pkg/scaling/resolver/scale_resolvers.go', /^\t"github\.com\/kedacore\/keda\/v2\/pkg\/scalers\/azure"\n/gm],
  ['pkg/eventemitter/eventemitter.go', /authParams, podIdentity, err := /g, '_, _, err := '],
  ['pkg/eventemitter/eventemitter.go', /^\tif spec\.Destination\.AzureEventGridTopic != nil[^]*?\n\t\}\n/gm],
];
/** What others still use of the files that are left out. */
const DECLARED = /** @type {const} */ ([
  [
    'pkg/scaling/resolver/left_out.go',
    `package resolver

const DefaultVaultKubernetesAuthTokenFile = ""

func vaultAddressesEqual(a, b string) bool { return a == b }
`,
  ],
  [
    'pkg/scalers/left_out.go',
    `package scalers

const externalMetricType = "External"
`,
  ],
]);

/**
 * @param {string} from the folder of the module
 * @param {string} to a new folder
 */
export async function trimKeda(from, to) {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true });
  // The module cache is read-only.
  for (const entry of await readdir(to, { recursive: true, withFileTypes: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
  const scalers = join(to, 'pkg', 'scalers');
  const others = (await readdir(scalers)).filter((name) => !KEPT_SCALERS.includes(name));
  const paths = [...others.map((name) => join(scalers, name)), ...LEFT_OUT.map((name) => join(to, name))];
  await Promise.all(paths.map((path) => rm(path, { recursive: true, force: true })));
  for (const [file, pattern, instead = ''] of CUTS) {
    const text = await readFile(join(to, file), 'utf8');
    const cut = text.replace(pattern, instead);
    if (cut === text)
      throw new Trouble(`KEDA's ${file} is not as tools/k8s/trim-keda.mjs expects it.`, 'Adapt it to this version.');
    await writeFile(join(to, file), cut);
  }
  for (const [file, text] of DECLARED) await writeFile(join(to, file), text);
}
