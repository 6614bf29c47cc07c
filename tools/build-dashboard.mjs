// @ts-check
// Builds apps/dashboard into dist/apps/dashboard, which the API serves.
import { fileURLToPath } from 'node:url';
import { NODE24, ROOT, inRoot } from './setup/root.mjs';
import { run } from './setup/run.mjs';

export function buildDashboard() {
  const vite = inRoot('node_modules', 'vite', 'bin', 'vite.js');
  const args = ['build', '--config', 'apps/dashboard/vite.config.ts', '--logLevel', 'warn'];
  // vitest, which builds before it runs specs, sets another one: then React is its large and slow form for development
  return run(NODE24, [vite, ...args], { cwd: ROOT, env: { ...process.env, NODE_ENV: 'production' } });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { code, output } = await buildDashboard();
  if (output.trim() !== '') console.log(output.trim());
  process.exit(code ?? 1);
}
