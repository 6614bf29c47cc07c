// `npm run k8s:build`: builds what `npm run k8s:prove` needs, so that it can be done ahead.
import { giveUp } from '../setup/trouble.mjs';
import { buildControlPlane } from './build.mjs';

try {
  const binaries = await buildControlPlane(process.env);
  for (const path of Object.values(binaries)) console.log(path);
} catch (error) {
  giveUp(error);
}
