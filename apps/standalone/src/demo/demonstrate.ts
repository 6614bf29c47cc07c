import type { DataFolder } from '../data-folder.js';
import type { Login } from '../environment.js';
import { runDemo } from './run-demo.js';

interface Demonstration {
  readonly apiUrl: string;
  readonly targetUrl: string;
  readonly login: Login;
  readonly folder: DataFolder;
}

/** Shows at every start that everything works. A demo that fails prints a message and stops nothing: the product runs without it. */
export async function demonstrate({ apiUrl, targetUrl, login, folder }: Demonstration): Promise<void> {
  const print = (line: string): void => console.log(`demo: ${line}`);
  const flowId = folder.recall().demoFlowId;
  const remember = (demoFlowId: string): void => folder.remember({ demoFlowId });
  try {
    await runDemo({ apiUrl, targetUrl, login, flowId, remember, print });
  } catch (error) {
    print(`it could not be run: ${error instanceof Error ? error.message : String(error)}`);
  }
}
