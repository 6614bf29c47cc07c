// @ts-check
// buildah without a daemon, without a registry and without namespaces of its own: it works as root inside of most containers.
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../setup/run.mjs';
import { Trouble } from '../setup/trouble.mjs';

/** Images of this machine only, which nobody signed. */
const POLICY = { default: [{ type: 'insecureAcceptAnything' }] };

/** One storage of images and containers. */
export class Buildah {
  /** @param {string} folder */
  constructor(folder) {
    this.folder = folder;
    this.policy = join(folder, 'policy.json');
  }

  /** @param {string} folder */
  static async open(folder) {
    await mkdir(folder, { recursive: true });
    const buildah = new Buildah(folder);
    await writeFile(buildah.policy, JSON.stringify(POLICY));
    return buildah;
  }

  /**
   * @param {readonly string[]} args
   * @param {{ show?: boolean }} [options]
   * @returns {Promise<string>} what it wrote
   * @throws Trouble when it fails
   */
  async do(args, { show = false } = {}) {
    const { code, output } = await run('buildah', this.args(args), { show });
    if (code === 127)
      throw new Trouble('buildah was not found.', 'apt-get install --no-install-recommends buildah debootstrap');
    if (code !== 0)
      throw new Trouble(`buildah ${args[0]} failed.`, show ? '' : output.trim().split('\n').slice(-12).join('\n'));
    return output.trim();
  }

  /** @param {string} image */
  async has(image) {
    return (await run('buildah', this.args(['inspect', '--type', 'image', image]))).code === 0;
  }

  /**
   * Runs a program in a container, with its user and environment, on the network of this machine.
   * @param {string} container
   * @param {{ command: readonly string[], env?: Readonly<Record<string, string>> }} start
   */
  start(container, { command, env = {} }) {
    const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const args = ['run', '--isolation', 'chroot', ...given, container, '--', ...command];
    return spawn('buildah', this.args(args), { stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** @param {readonly string[]} args */
  args(args) {
    const [command = '', ...others] = args;
    const signed = ['bud', 'from', 'commit'].includes(command) ? ['--signature-policy', this.policy] : [];
    const storage = [
      '--root',
      join(this.folder, 'root'),
      '--runroot',
      join(this.folder, 'run'),
      '--storage-driver',
      'overlay',
    ];
    return [...storage, command, ...signed, ...others];
  }
}
